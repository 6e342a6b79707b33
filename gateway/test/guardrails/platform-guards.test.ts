// The operator's own guards: asked about everybody's calls, wherever the operator's service stands, with a time limit and
// an answer to what happens without a verdict. A change counts from the next call on.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Answer, type Json } from '../harness.ts';
import { rows } from '../identity/rows.ts';
import { codeOf, type GuardBed, messageOf, startGuardBed } from './guard-bed.ts';

type Asked = Readonly<{ authorization: string | undefined; body: Json }>;

let bed: GuardBed;
let service: Server;
let url: string;
let key: string;
const asked: Asked[] = [];
/** Null: it says nothing at all. */
let reply: (body: Json) => unknown = () => ({ action: 'allow' });

beforeAll(async () => {
  bed = await startGuardBed();
  ({ key } = await bed.harness.account(50));
  service = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Json;
      asked.push({ authorization: request.headers.authorization, body });
      const answer = reply(body);
      if (answer !== null) response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  url = `http://localhost:${(service.address() as AddressInfo).port}/check`;
});

afterAll(async () => {
  service.closeAllConnections();
  service.close();
  await bed.harness.close();
});

afterEach(() => {
  asked.length = 0;
  reply = () => ({ action: 'allow' });
});

const put = async (guards: Json | undefined): Promise<Answer> => {
  const { guards: _, ...live } = await bed.harness.operate('GET', '/admin/v1/config');
  const body = guards === undefined ? live : { ...live, guards };
  return bed.harness.request('PUT', '/admin/v1/config', { key: ADMIN_TOKEN, body });
};

async function guardWith(...entries: readonly Json[]): Promise<void> {
  const named = entries.map((entry, index) => [
    `House ${index + 1}`,
    { form: 'webhook', url, api_key: 'guard-canary-key', stages: ['before'], ...entry },
  ]);
  const answer = await put(Object.fromEntries(named));
  expect(answer.status, answer.text).toBe(200);
}

const ask = (by = key, more: Json = {}) =>
  bed.harness.chat(by, { model: 'openai/test', messages: [{ role: 'user', content: 'Call Jane Doe.' }], ...more });

async function reviewsOf(answer: Answer, by = key): Promise<unknown> {
  const id = String(answer.headers.get('x-generation-id'));
  const read = () => bed.harness.request('GET', `/v1/generation?id=${id}`, { key: by });
  await expect.poll(async () => ((await read()).body.data as Json | undefined)?.in_progress).toBe(false);
  return ((await read()).body.data as Json).reviews;
}

test('they are asked about the calls of people and of organizations, before the organization’s own', async () => {
  await guardWith({});
  const org = await bed.org();
  expect([(await ask()).status, (await ask(org.key)).status]).toEqual([200, 200]);
  const body = { stage: 'before', model: 'openai/test', texts: [{ origin: 'user', text: 'Call Jane Doe.' }] };
  const heard = { authorization: 'Bearer guard-canary-key', body };
  expect(asked).toEqual([heard, heard]);
  reply = () => ({ action: 'block', reason: 'a name' });
  const upstream = bed.upstreamCalls;
  for (const by of [key, org.key]) {
    const refused = await ask(by);
    expect([refused.status, codeOf(refused)]).toEqual([403, 'content_filter']);
    expect(messageOf(refused)).toContain('the guard "House 1" of this gateway (a name)');
  }
  expect(bed.upstreamCalls).toBe(upstream);
});

test('what they redact is not sent, and stands on the record of the call', async () => {
  await guardWith({ form: 'presidio', action: 'redact' });
  reply = () => [{ entity_type: 'PERSON', start: 5, end: 13, score: 0.85 }];
  const answer = await ask();
  expect(JSON.stringify(bed.harness.simulator.requests.at(-1)?.json)).toContain('Call [REDACTED].');
  expect(await reviewsOf(answer)).toMatchObject([
    { by: 'operator', name: 'House 1', of: 'input', outcome: 'redacted' },
  ]);
});

test('what they only flag is told to the operator and to nobody whom it is about', async () => {
  await guardWith({ action: 'flag' });
  reply = () => ({ action: 'block', reason: 'a name' });
  const org = await bed.org();
  for (const [by, reader] of [
    [key, key],
    [org.key, org.adminKey],
  ] as const) {
    const answer = await ask(by);
    expect(answer.status).toBe(200);
    expect(await reviewsOf(answer, reader)).toEqual([]);
    const id = String(answer.headers.get('x-generation-id'));
    const { reviews } = await bed.harness.operate('GET', `/admin/v1/generations/${id}/explain`);
    expect(reviews).toMatchObject([{ by: 'operator', name: 'House 1', of: 'input', outcome: 'flagged' }]);
  }
});

test('answers are judged too, whole and streamed, after the call and beside it', async () => {
  await guardWith({ stages: ['beside'] }, { form: 'moderations', stages: ['after'] });
  const flagged = (isHit: boolean) => ({ results: [{ flagged: isHit, categories: { violence: isHit } }] });
  for (const stream of [false, true]) {
    reply = ({ stage }) => (stage === undefined ? flagged(false) : { action: 'allow' });
    expect((await ask(key, { stream })).status).toBe(200);
    reply = ({ stage }) => (stage === undefined ? flagged(true) : { action: 'allow' });
    expect((await ask(key, { stream })).text).toContain('the guard \\"House 2\\" of this gateway (violence)');
    reply = ({ stage }) => (stage === undefined ? flagged(false) : { action: 'block' });
    expect((await ask(key, { stream })).text).toContain('the guard \\"House 1\\" of this gateway');
  }
});

test('without a verdict a call is refused, or goes on where the operator says so', async () => {
  reply = () => null;
  await guardWith({ timeout_ms: 100 });
  const refused = await ask();
  expect([refused.status, messageOf(refused).includes('gave no verdict in time')]).toEqual([403, true]);
  await guardWith({ timeout_ms: 100, on_failure: 'allow' });
  const allowed = await ask();
  expect(allowed.status).toBe(200);
  await guardWith({ url: 'http://127.0.0.1:9/', on_failure: 'allow' });
  expect((await ask()).status).toBe(200);
});

test('the key is sealed and masked, and is given again with another address; wrong entries are named', async () => {
  await guardWith({});
  const shown = await bed.harness.operate('GET', '/admin/v1/config');
  expect(shown.guards).toMatchObject({ 'House 1': { url, api_key: '********' } });
  const stored = await rows(bed.harness.databaseUrl, 'select document::text as text from config_revisions');
  expect(JSON.stringify(stored)).not.toContain('guard-canary-key');
  expect((await put(shown.guards as Json)).status).toBe(200);
  await ask();
  expect(asked.at(-1)?.authorization).toBe('Bearer guard-canary-key');
  const entry = (shown.guards as Record<string, Json>)['House 1'];
  expect((await put({ 'House 1': { ...entry, url: 'http://elsewhere.example/' } })).text).toContain(
    'give the key again',
  );
  const many = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`G${at}`, { ...entry, api_key: 'k' }]));
  for (const [guards, words] of [
    [{ x: { ...entry, api_key: 'k', url: 'ftp://x' } }, 'guards.x.url'],
    [{ x: { ...entry, api_key: 'é' } }, 'guards.x.api_key'],
    [{ x: { ...entry, api_key: 'k', stages: [] } }, 'guards.x.stages'],
    [many, 'at most 5'],
  ] as const) {
    const answer = await put(guards);
    expect([answer.status, answer.text.includes(words)], answer.text).toEqual([400, true]);
  }
});

test('nobody is asked any more once they are taken out', async () => {
  expect((await put(undefined)).status).toBe(200);
  expect([(await ask()).status, asked]).toEqual([200, []]);
});
