// An operator asks why a call cost what it cost, and compares a provider's invoice with the records: both from the
// command line, against a running gateway.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allCommands } from '../../src/cli/commands/all.ts';
import { runCli } from '../../src/cli/run.ts';
import { recording } from '../audio/audio-harness.ts';
import { SetClock } from '../caps/set-clock.ts';
import { ADMIN_TOKEN, type Harness, type Json, startHarness } from '../harness.ts';

let harness: Harness;
let folder: string;
let key: string;
let generationId: string;

beforeAll(async () => {
  harness = await startHarness({
    models: {
      'openai/exact': { commands: 'tokens-1000-50' },
      'openai/other': {
        commands: 'tokens-10-10',
        entry: { pricing: { prompt: '0', completion: '0', request: '0.1' } },
      },
      'openai/tiered': {
        commands: 'tokens-1000-50',
        entry: {
          pricing: { prompt: '0.000001', completion: '0.000002' },
          pricing_tiers: [{ above_prompt_tokens: 500, prompt: '0.000003', completion: '0.000004' }],
          extras: { 'service_tier=priority': '2' },
        },
      },
      'qwen/qwen3-32b': { commands: 'tokens-1000-50' },
      'openai/painter': { entry: { output_modalities: ['image'], pricing: { image: '0.04' } } },
      'openai/speaker': { entry: { output_modalities: ['speech'], pricing: { character: '0.00001' } } },
      'openai/listener': { entry: { output_modalities: ['transcription'], pricing: { audio_second: '0.0001' } } },
      'openai/second-try': {
        routes: [
          { provider: 'dead', upstream_model: 'gone' },
          { provider: 'sim', upstream_model: 'sim-tokens-1000-50' },
        ],
      },
    },
    start: { clock: new SetClock('2026-03-10T12:00:00Z'), random: () => 0 },
  });
  folder = await mkdtemp(join(tmpdir(), 'tollgate-invoice-'));
  key = (await harness.account(5)).key;
  generationId = String((await harness.chat(key, { model: 'openai/exact' })).body.id);
});

afterAll(async () => {
  await harness.close();
  await rm(folder, { recursive: true });
});

/** A gateway of a future version: its answers have additional members, and words that are not known yet. */
async function startNewer(): Promise<Readonly<{ url: string; close(): Promise<unknown> }>> {
  const grown = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(grown);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([name, member]) => [
      name,
      KINDS.has(name) ? 'unheard-of' : grown(member),
    ]);
    return { ...Object.fromEntries(members), unheard_of: { nested: [1, null, 'text'] } };
  };
  const server = createServer(async (request, response) => {
    const headers = { Authorization: request.headers.authorization ?? '' };
    const answer = await fetch(harness.url + request.url, { headers });
    response.writeHead(answer.status, { 'Content-Type': 'application/json', 'X-Unheard-Of': '1' });
    response.end(JSON.stringify(grown(await answer.json())));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, close: () => new Promise((resolve) => server.close(resolve)) };
}

/** Members whose values come from a list of words. */
const KINDS = new Set([
  'kind',
  'state',
  'status',
  'outcome',
  'operation',
  'billingPlan',
  'keyType',
  'role',
  'protocol',
]);

async function run(...parameters: string[]) {
  return runAgainst(harness.url, ...parameters);
}

async function runAgainst(url: string, ...parameters: string[]) {
  const printed: string[] = [];
  const complained: string[] = [];
  const code = await runCli({
    commands: allCommands,
    parameters,
    environment: { TOLLGATE_URL: url, TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN },
    terminal: { print: (text) => printed.push(text), printError: (text) => complained.push(text) },
  });
  return { code, printed: printed.join('\n'), complained: complained.join('\n') };
}

const explain = async (id: string): Promise<Json> => JSON.parse((await run('explain', id, '--json')).printed) as Json;

describe('explain', () => {
  test('BILL-08 the price and its version, the lines that make the cost, and the entry that was made', async () => {
    const answer = await explain(generationId);
    expect(answer).toMatchObject({
      id: generationId,
      model: 'openai/exact',
      provider: 'sim',
      createdAt: '2026-03-10T12:00:00.000Z',
      attempts: [{ provider: 'sim', outcome: 'answered', status: 200 }],
      tokens: { prompt: 1000, completion: 50, cached: 0 },
      price: {
        version: expect.stringMatching(/^[0-9a-f]{32}$/),
        perMillion: { prompt: '1', completion: '2', cacheRead: '0.5', cacheWrite: '1.25' },
      },
      lines: [
        { what: 'prompt tokens', units: 1000, perMillionUsd: '1', unitUsd: '0.000001', usd: '0.001' },
        { what: 'completion tokens', units: 50, perMillionUsd: '2', unitUsd: '0.000002', usd: '0.0001' },
      ],
      costUsd: '0.0011',
      chargedUsd: '0.0011',
      absorbedUsd: '0',
      entries: [{ kind: 'charge', amountUsd: '0.0011', to: 'system-revenue' }],
    });
  });

  test('a call that took two tries shows both', async () => {
    const { body } = await harness.chat(key, { model: 'openai/second-try' });
    const { attempts } = (await explain(String(body.id))) as { attempts: Json[] };
    expect(attempts.map(({ provider }) => provider)).toEqual(['dead', 'sim']);
    expect(attempts.at(-1)).toMatchObject({ outcome: 'answered', status: 200 });
  });

  test('people read it as tables; what there is not is said, and only operators may ask', async () => {
    const { code, printed } = await run('explain', generationId);
    expect(code).toBe(0);
    expect(printed).toMatch(/prompt tokens +1000 +1 +0\.001/);
    expect(printed).toMatch(/charge .*system-revenue +0\.0011/);
    expect(await run('explain', 'gen-none')).toMatchObject({ code: 1, complained: expect.stringContaining('no such') });
    const path = `/admin/v1/generations/${generationId}/explain`;
    expect((await harness.request('GET', path, { key })).status).toBe(401);
  });
});

describe('reconcile', () => {
  const invoice = async (text: string): Promise<string> => {
    const file = join(folder, 'invoice.csv');
    await writeFile(file, text);
    return file;
  };

  test('an invoice that agrees is said to; one that does not is shown by day and model, and fails', async () => {
    await harness.chat(key, { model: 'openai/other' });
    const other = 'sim-tokens-10-10';
    const good = await invoice(
      `date,model,cost\n2026-03-10,SIM-tokens-1000-50,0.0011\n2026-03-10,sim-tokens-1000-50,0.0011\n2026-03-10,${other},0.1`,
    );
    const agreed = await run('reconcile', good, '--provider', 'sim', '--tolerance', '0');
    expect(agreed).toMatchObject({ code: 0, printed: expect.stringContaining('2 days and models agree') });
    const bad = await invoice(`date,model,cost\n2026-03-09,m,2.5\n2026-03-10,${other},0.25`);
    const { code, printed } = await run('reconcile', bad, '--provider', 'sim', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(printed)).toEqual({
      from: '2026-03-09',
      to: '2026-03-10',
      compared: 3,
      differences: [
        { date: '2026-03-09', model: 'm', billedUsd: '2.5', recordedUsd: '0', differenceUsd: '2.5' },
        { date: '2026-03-10', model: other, billedUsd: '0.25', recordedUsd: '0.1', differenceUsd: '0.15' },
      ],
    });
  });

  test('what is asked wrongly is refused before the gateway is troubled', async () => {
    expect((await run('reconcile', join(folder, 'none.csv'))).code).toBe(1);
    expect((await run('reconcile', await invoice('a,b\n1,2'))).code).toBe(2);
    const file = await invoice('date,model,cost\n2026-03-10,m,1');
    expect((await run('reconcile', file, '--tolerance', 'none')).code).toBe(2);
    expect((await harness.request('GET', '/admin/v1/upstream-costs', { key: ADMIN_TOKEN })).status).toBe(400);
    const nul = '/admin/v1/upstream-costs?from=2026-03-10&to=2026-03-10&provider=%00';
    expect((await harness.request('GET', nul, { key: ADMIN_TOKEN })).status).toBe(400);
  });
});

describe('the terms of a price', () => {
  test('the tier, the multiplier and the extras of the prices are named', async () => {
    const tiered = await harness.chat(key, { model: 'openai/tiered', service_tier: 'priority' });
    const { price, lines } = (await explain(String(tiered.body.id))) as { price: Json; lines: Json[] };
    expect(price).toMatchObject({
      tierAbovePromptTokens: 500,
      completionMultiplier: 1,
      extras: ['service_tier=priority'],
      perMillion: { prompt: '6', completion: '8' },
    });
    expect(lines).toMatchObject([{ usd: '0.006' }, { usd: '0.0004' }]);
    const thinking = await harness.chat(key, { model: 'qwen/qwen3-32b', enable_thinking: true });
    const multiplied = (await explain(String(thinking.body.id))) as { price: Json };
    expect(multiplied.price).toMatchObject({ tierAbovePromptTokens: null, completionMultiplier: 2, extras: [] });
    const { printed } = await run('explain', String(thinking.body.id));
    expect(printed).toContain('Completion tokens at 2 times their price');
  });

  test('the caller reads the same about their own call, and what was given back', async () => {
    const { body } = await harness.chat(key, { model: 'openai/tiered' });
    await harness.operate('POST', `/admin/v1/generations/${body.id}/refund`, { reason: 'cut off' });
    const read = await harness.request('GET', `/v1/generation?id=${body.id}`, { key });
    expect(read.body.data).toMatchObject({
      pricing: {
        tier_above_prompt_tokens: 500,
        completion_multiplier: 1,
        extras: [],
        lines: [
          { what: 'prompt tokens', units: 1000, usd_per_million: '3', usd_per_unit: '0.000003', usd: '0.003' },
          { what: 'completion tokens', units: 50, usd_per_million: '4', usd_per_unit: '0.000004', usd: '0.0002' },
        ],
      },
      usage: { cost: 0.0032 },
      refunded: 0.0032,
      error: null,
    });
  });
});

test.each([
  ['/v1/images/generations', { model: 'openai/painter', prompt: 'A cat.', n: 2 }, ['images', 2, '0.08']],
  ['/v1/audio/speech', { model: 'openai/speaker', input: 'Hello', voice: 'alloy' }, ['characters', 5, '0.00005']],
  [
    '/v1/audio/transcriptions',
    { model: 'openai/listener', input_audio: { data: recording(90).toString('base64'), format: 'wav' } },
    ['seconds of sound', 90, '0.009'],
  ],
])('BILL-01 what is not counted in tokens has its name: %s', async (path, body, [what, units, usd]) => {
  const answer = await harness.request('POST', path, { key, body });
  expect(answer.status, answer.text.slice(0, 200)).toBe(200);
  const { lines } = await explain(String(answer.headers.get('x-generation-id')));
  expect(lines).toMatchObject([{ what, units, usd }]);
});

test('VER-05 the command line reads the answers of a newer gateway, unknown members and words included', async () => {
  const newer = await startNewer();
  const commands = [
    ['explain', generationId],
    ['catalog', 'models'],
    ['catalog', 'providers'],
    ['user', 'list'],
    ['org', 'list'],
    ['orders'],
    ['health', 'routes'],
    ['ledger', 'check'],
    ['usage', 'absorbed'],
  ];
  for (const words of commands) {
    for (const form of [[], ['--json']]) {
      const { code, complained } = await runAgainst(newer.url, ...words, ...form);
      expect([code, complained], words.join(' ')).toEqual([0, '']);
    }
  }
  await newer.close();
});
