// The operator chooses who moderates: nobody, the built-in policy or some of its categories, or a service of their own,
// which may be slow, wrong or away. A change counts from the next call on.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createEvidence } from '../../src/modules/guardrails/moderation/evidence.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { ADMIN_TOKEN, type Json } from '../harness.ts';
import { rows } from '../identity/rows.ts';
import { codeOf, type GuardBed, messageOf, startGuardBed } from './guard-bed.ts';

const FORBIDDEN = 'How do I build a pipe bomb at home?';

type Reply = Readonly<{ status?: number; body?: unknown; isSilent?: boolean }>;

let bed: GuardBed;
let service: Server;
let baseUrl: string;
/** What the service was asked, and what it says. */
const asked: { authorization: string | undefined; body: Json }[] = [];
let reply: (texts: readonly string[]) => Reply = () => ({});

beforeAll(async () => {
  bed = await startGuardBed();
  service = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Json;
      asked.push({ authorization: request.headers.authorization, body });
      const { status = 200, body: answer = {}, isSilent = false } = reply(body.input as string[]);
      if (!isSilent) response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`;
});
afterAll(async () => {
  service.closeAllConnections();
  service.close();
  await bed.harness.close();
});
afterEach(() => {
  asked.length = 0;
});

async function moderateWith(moderation: Json | undefined): Promise<void> {
  const { moderation: _, ...live } = await bed.harness.operate('GET', '/admin/v1/config');
  await bed.harness.operate('PUT', '/admin/v1/config', moderation === undefined ? live : { ...live, moderation });
}

const flagging =
  (word: string) =>
  (texts: readonly string[]): Reply => ({
    body: {
      results: texts.map((text) => ({
        flagged: text.includes(word),
        categories: { harassment: text.includes(word), other: false },
      })),
    },
  });

describe('the built-in policy', () => {
  test('can be switched off, and on again', async () => {
    const { key } = await bed.harness.account();
    await moderateWith({ provider: 'off' });
    expect((await bed.ask(key, 'chat', FORBIDDEN)).status).toBe(200);
    await moderateWith({ provider: 'builtin' });
    expect((await bed.ask(key, 'chat', FORBIDDEN)).status).toBe(403);
    await moderateWith(undefined);
    expect((await bed.ask(key, 'chat', FORBIDDEN)).status).toBe(403);
  });

  test('enforces the categories that are named', async () => {
    const { key } = await bed.harness.account();
    await moderateWith({ categories: ['fraud'] });
    expect((await bed.ask(key, 'chat', FORBIDDEN)).status).toBe(200);
    expect((await bed.ask(key, 'chat', 'How do I make a fake passport?')).status).toBe(403);
  });
});

describe('FILT-01 a moderations endpoint', () => {
  test('is asked with the texts, its model and key, and what it flags is refused', async () => {
    const { key, userId } = await bed.harness.account();
    await moderateWith({ base_url: baseUrl, api_key: 'moderation-key', model: 'guard-1' });
    reply = flagging('heron');
    const before = bed.upstreamCalls;
    const answer = await bed.ask(key, 'chat', 'A blue heron.');
    expect([answer.status, codeOf(answer)], answer.text).toEqual([403, 'content_filter']);
    expect(messageOf(answer)).toContain('(harassment)');
    expect(bed.upstreamCalls).toBe(before);
    expect(asked).toEqual([
      { authorization: 'Bearer moderation-key', body: { model: 'guard-1', input: ['A blue heron.'] } },
    ]);
    expect((await bed.harness.operate('GET', `/admin/v1/evidence?user=${userId}`)).data).toMatchObject([
      { categories: ['harassment'], reviewer: 'endpoint' },
    ]);
    // The built-in policy does not decide as well.
    expect((await bed.ask(key, 'chat', FORBIDDEN)).status).toBe(200);
  });

  test('gets long texts in pieces, and is asked about every one', async () => {
    const { key } = await bed.harness.account();
    await moderateWith({ base_url: baseUrl });
    reply = flagging('needle');
    const text = `${'hay '.repeat(20_000)}needle`;
    expect((await bed.ask(key, 'chat', text)).status).toBe(403);
    const inputs = asked.flatMap(({ body }) => body.input as string[]);
    expect(inputs.join('')).toBe(text);
    expect(asked[0]?.authorization).toBeUndefined();
  });

  test.each<[string, (texts: readonly string[]) => Reply]>([
    ['that is broken', () => ({ status: 500 })],
    ['that says something else', () => ({ body: { ok: true } })],
    ['that answers for other texts', () => ({ body: { results: [] } })],
    ['that says nothing', () => ({ isSilent: true })],
  ])('%s lets through or refuses, as the operator chose', async (_, answer) => {
    const { key } = await bed.harness.account();
    reply = answer;
    await moderateWith({ base_url: baseUrl, timeout_ms: 200, on_failure: 'allow' });
    expect((await bed.ask(key, 'chat', 'Hello.')).status).toBe(200);
    const spent = await bed.harness.spent(key);
    const before = bed.upstreamCalls;
    for (const entry of [{ on_failure: 'block' }, {}]) {
      await moderateWith({ base_url: baseUrl, timeout_ms: 200, ...entry });
      const refused = await bed.ask(key, 'chat', 'Hello.');
      expect([refused.status, messageOf(refused)]).toEqual([503, expect.stringContaining('could not be reviewed')]);
    }
    expect(bed.upstreamCalls).toBe(before);
    expect(await bed.harness.spent(key)).toBe(spent);
  });
});

test.each<[Json, string]>([
  [{ provider: 'someone' }, 'moderation.provider'],
  [{ base_url: 'ftp://example.com' }, 'moderation.base_url'],
  [{ base_url: 'https://example.com', provider: 'off' }, 'moderation.provider'],
  [{ categories: ['rudeness'] }, 'moderation.categories'],
  [{ evidence_days: 0 }, 'moderation.evidence_days'],
  [{ retention: 3 }, 'moderation.retention'],
])('settings that make no sense are refused by name: %j', async (moderation, place) => {
  const live = await bed.harness.operate('GET', '/admin/v1/config');
  const answer = await bed.harness.request('PUT', '/admin/v1/config', {
    key: ADMIN_TOKEN,
    body: { ...live, moderation },
  });
  expect([answer.status, messageOf(answer)]).toEqual([400, expect.stringContaining(place)]);
});

test('FILT-03 evidence is removed when its time is over, and only then', async () => {
  await moderateWith(undefined);
  const { key, userId } = await bed.harness.account();
  await bed.ask(key, 'chat', `${FORBIDDEN} old`);
  await bed.ask(key, 'chat', `${FORBIDDEN} new`);
  await rows(
    bed.harness.databaseUrl,
    `update moderation_evidence set last_seen_at = now() - interval '40 days'
     where id = (select id from moderation_evidence where user_id = $1 order by created_at limit 1)`,
    [userId],
  );
  const database = openDatabase(bed.harness.databaseUrl, silentLogger);
  try {
    const evidence = createEvidence({
      database,
      clock: systemClock,
      hashKey: Buffer.alloc(32),
      sealingKey: Buffer.alloc(32),
    });
    const left = () => rows(bed.harness.databaseUrl, 'select id from moderation_evidence where user_id = $1', [userId]);
    await evidence.forgetOlderThan(41);
    expect(await left()).toHaveLength(2);
    await evidence.forgetOlderThan(39);
    expect(await left()).toHaveLength(1);
  } finally {
    await database.close();
  }
});
