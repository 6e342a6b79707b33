// Every way an upstream can fail, on the surfaces that are not conversations: embeddings, rerank, moderations,
// transcriptions and speech. Without another provider the client gets an error and pays nothing; a healthy second
// provider answers and is paid once.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { embed, embeddingModel } from '../embeddings/embeddings-harness.ts';
import { faultyProvider, type Harness, IMPATIENT, type Json, startHarness } from '../harness.ts';
import { hearingModel, speak, speechModel, transcribe } from './audio-harness.ts';

type Outcome = Readonly<{ status: number; body: Json; text: string }>;

type Surface = Readonly<{
  entry: Record<string, unknown> | undefined;
  call(key: string, model: string): Promise<Outcome>;
  /** Of the healthy answer. */
  cost: number;
}>;

let harness: Harness;

const surfaces: Readonly<Record<string, Surface>> = {
  embeddings: {
    entry: embeddingModel().entry,
    call: (key, model) => embed(harness, key, { model, input: 'Hello there!' }),
    cost: 0.000006,
  },
  rerank: {
    entry: { output_modalities: ['rerank'], pricing: { search: '0.002' } },
    call: (key, model) =>
      harness.request('POST', '/v1/rerank', { key, body: { model, query: 'Hello?', documents: ['Hello.'] } }),
    cost: 0.002,
  },
  moderation: {
    entry: { output_modalities: ['moderation'], pricing: { request: '0.001' } },
    call: (key, model) => harness.request('POST', '/v1/moderations', { key, body: { model, input: 'Hello.' } }),
    cost: 0.001,
  },
  transcription: {
    entry: hearingModel().entry,
    call: (key, model) => transcribe(harness, key, { fields: { model } }),
    cost: 0.0001,
  },
  speech: {
    entry: speechModel().entry,
    call: async (key, model) => {
      const sound = await speak(harness, key, { model });
      return { ...sound, text: sound.bytes.toString('latin1') };
    },
    cost: 0.000165,
  },
};

const UNREACHABLE = [502, 'upstream_unreachable'] as const;
const UNAVAILABLE = [502, 'upstream_unavailable'] as const;
const SILENT = [504, 504] as const;

type Fault = Readonly<{
  commands: string | null;
  expected: readonly [number, string | number];
  /** Cases in which a second provider is not asked, because the request itself was refused. */
  isCallersFaultOn?: readonly string[];
  /** Cases that are no fault; the value is the reason. */
  notOn?: Readonly<Record<string, string>>;
}>;

const BYTES = 'bytes are passed on whatever they are';

const faults: Readonly<Record<string, Fault>> = {
  'F1 refused': { commands: null, expected: UNREACHABLE },
  'F5 reset before headers': { commands: 'reset', expected: UNREACHABLE },
  'F6 reset in headers': { commands: 'reset-in-headers', expected: UNREACHABLE },
  'F7 garbage': { commands: 'garbage', expected: UNREACHABLE },
  'F8 redirect': { commands: 'redirect', expected: UNAVAILABLE },
  'F9 no headers': { commands: 'stall', expected: SILENT },
  'F10 429 with Retry-After': { commands: 'status-429-retry-after-7', expected: [429, 'upstream_rate_limited'] },
  'F11 429 without': { commands: 'status-429', expected: [429, 'upstream_rate_limited'] },
  'F12 500': { commands: 'status-500', expected: UNAVAILABLE },
  'F13 503': { commands: 'status-503', expected: UNAVAILABLE },
  'F14 529': { commands: 'status-529', expected: UNAVAILABLE },
  'F15 401': { commands: 'status-401', expected: [502, 'upstream_auth_failed'] },
  'F16 400': {
    commands: 'status-400',
    expected: [400, 'unknown_4xx'],
    isCallersFaultOn: ['transcription', 'speech'],
  },
  'F16 404': { commands: 'status-404', expected: [400, 'unknown_model'] },
  'F16 policy': {
    commands: 'policy',
    expected: [403, 'content_moderation'],
    isCallersFaultOn: ['embeddings', 'rerank', 'moderation', 'transcription', 'speech'],
  },
  'F17 bad JSON': { commands: 'bad-json', expected: UNAVAILABLE },
  'F17 cut JSON': { commands: 'cut-json', expected: UNAVAILABLE, notOn: { speech: BYTES } },
  'F18 HTML': { commands: 'html', expected: UNAVAILABLE },
  'F19 empty': { commands: 'empty', expected: UNAVAILABLE },
  'F20 error under 200': { commands: 'error-200', expected: UNAVAILABLE },
  'F21 short body': { commands: 'short-body', expected: UNREACHABLE, notOn: { speech: 'it has begun; see speech' } },
  'F28 reset in the body': { commands: 'reset-after-1', expected: UNREACHABLE, notOn: { speech: 'see speech' } },
  'F31 stalled body': { commands: 'stall-body', expected: SILENT },
  'F34 fake gzip': { commands: 'gzip-fake', expected: UNAVAILABLE },
  'F34 gzip twice': { commands: 'gzip-twice', expected: UNAVAILABLE },
};

const usageFaults: Readonly<Record<string, Readonly<{ commands: string; cost: number }>>> = {
  'F22 missing': { commands: 'usage-none', cost: 0 },
  'F22 null': { commands: 'usage-null', cost: 0 },
  'F23 zero': { commands: 'usage-zero', cost: 0 },
  'F25 negative': { commands: 'usage-negative', cost: 0 },
  'F25 a fraction': { commands: 'usage-fraction', cost: 0 },
  'F25 a text': { commands: 'usage-string', cost: 0 },
  'F26 no number at all any more': { commands: 'usage-absurd', cost: 0 },
  // The hold: five tokens by the estimate, at 2 USD per million.
  'F26 far too many': { commands: 'tokens-900000000-0', cost: 0.00001 },
  'F34 gzip, which is no fault': { commands: 'gzip', cost: 0.000006 },
};

const slug = (name: string): string => name.toLowerCase().replace(/\W+/g, '-');

beforeAll(async () => {
  const models: Record<string, object> = {};
  for (const [surface, { entry }] of Object.entries(surfaces)) {
    for (const [name, { commands }] of Object.entries(faults)) {
      const broken =
        commands === null
          ? { provider: 'dead', upstream_model: `${surface}-x` }
          : { provider: faultyProvider(commands), upstream_model: `${surface}.sim-${commands}` };
      const healthy = { provider: 'sim', upstream_model: `${surface}-healthy` };
      models[`acme/${surface}-${slug(name)}`] = { entry: { ...entry, routes: [broken] } };
      models[`acme/${surface}-${slug(name)}-rescued`] = { entry: { ...entry, routes: [broken, healthy] } };
    }
  }
  for (const { commands } of Object.values(usageFaults)) models[`acme/${commands}`] = embeddingModel(commands);
  harness = await startHarness({
    models,
    moreProviders: { slow: IMPATIENT },
    // At equal prices the random order is a tie, and the order of the file decides: the broken provider comes first.
    start: { random: () => 0 },
  });
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
});

const cells = Object.entries(surfaces).flatMap(([surface, rules]) =>
  Object.entries(faults)
    .filter(([, { notOn }]) => notOn?.[surface] === undefined)
    .map(([name, fault]) => ({ surface, rules, name, fault })),
);

// All at once, because most of the time is waiting for upstreams that say nothing.
describe.concurrent.each(cells)('$surface, $name', ({ surface, rules, name, fault }) => {
  test('BILL-04 with no provider left: told, and nothing charged', async () => {
    const { key } = await harness.account(5);
    const answer = await rules.call(key, `acme/${surface}-${slug(name)}`);
    expect([answer.status, (answer.body.error as Json | undefined)?.code]).toEqual(fault.expected);
    expect(answer.text).not.toMatch(/upstream-secret-key|simulat|127\.0\.0\.1|ECONN|undici/i);
    expect(await harness.spent(key)).toBe(0);
  });

  test('ROUTE-09 ROUTE-13 FO-1 with a second provider', async () => {
    const { key } = await harness.account(5);
    const answer = await rules.call(key, `acme/${surface}-${slug(name)}-rescued`);
    const isRefused = fault.isCallersFaultOn?.includes(surface) ?? false;
    expect(answer.status).toBe(isRefused ? fault.expected[0] : 200);
    expect(await harness.spent(key)).toBe(isRefused ? 0 : rules.cost);
  });
});

describe('usage that is none, on embeddings', () => {
  test.each(Object.entries(usageFaults))('USG-1 USG-2 BILL-05 %s', async (name, { commands, cost }) => {
    const { key } = await harness.account(5);
    const answer = await embed(harness, key, { model: `acme/${commands}`, input: 'Hello there!' });
    expect(answer.status, name).toBe(200);
    expect((answer.body.usage as Json).cost).toBe(cost);
    expect(await harness.spent(key)).toBe(cost);
  });
});
