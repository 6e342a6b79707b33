// Large answers of organizations' own upstreams, many at once: what they take of the gateway's memory stays bounded,
// each organization leaves room to the others, and all of it is given back, however the calls end.

import { once } from 'node:events';
import { type ClientRequest, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ByokBed, type Org, startByokBed } from './byok-bed.ts';

const MIB = 1024 * 1024;
const LARGE_BYTES = 30 * MIB;
/** What one organization may have while no other has anything. */
const SHARE_BYTES = 128 * MIB;
const CALLS = 12;
/** As many as fit into its share. */
const FITTING = 4;

const answer = Buffer.from(
  JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'x'.repeat(LARGE_BYTES) }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
);

type Behaviour = (response: ServerResponse) => void;

const whole: Behaviour = (response) => response.end(answer);
/** All but the last byte, which comes when the test says so. */
const waiting: ServerResponse[] = [];
const held: Behaviour = (response) => {
  waiting.push(response);
  response.write(answer.subarray(0, -1));
};

let behave = whole;
const upstream = createServer((asked, response) => {
  asked.resume();
  response.on('error', () => {});
  if (asked.method === 'POST') {
    response.writeHead(200, { 'content-type': 'application/json' });
    behave(response);
  } else response.setHeader('content-type', 'application/json').end('{"object":"list","data":[]}');
});

let bed: ByokBed;

beforeAll(async () => {
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  bed = await startByokBed({ unheld: 'a comparison would take long for answers of this size' });
});

afterEach(async () => {
  await expect.poll(heldBytes).toBe(0);
  waiting.length = 0;
  behave = whole;
});

afterAll(async () => {
  expect(await bed.harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await bed.close();
  upstream.closeAllConnections();
  upstream.close();
});

const heldBytes = (): Promise<number> => bed.gauge('tollgate_large_answer_bytes');

const organization = (): Promise<Org> => bed.orgOf(upstream);

const call = ({ key }: Org) => bed.harness.chat(key, { model: 'openai/test' });

/** A call whose answer is not read before the test does. */
function ask({ key }: Org, headers: Readonly<Record<string, string>> = {}): ClientRequest {
  const asked = request(`${bed.harness.url}/v1/chat/completions`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
  });
  asked.on('error', () => {});
  asked.end(JSON.stringify({ model: 'openai/test', messages: [{ role: 'user', content: 'Say much.' }] }));
  return asked;
}

test('DOS-1 one organization has a share of the memory for large answers, and another still gets its own', async () => {
  const [greedy, other] = [await organization(), await organization()];
  behave = held;
  let refused = 0;
  const calls = Array.from({ length: CALLS }, async () => {
    const { status, headers, body, text } = await call(greedy);
    if (status !== 200) refused += 1;
    return { status, headers, body, length: text.length };
  });
  await expect.poll(() => refused).toBe(CALLS - FITTING);
  await expect.poll(heldBytes).toBeGreaterThan(FITTING * LARGE_BYTES);
  expect(await heldBytes()).toBeLessThanOrEqual(SHARE_BYTES);
  // One more finds as little room, and the other organization does.
  expect((await call(greedy)).status).toBe(503);
  behave = whole;
  expect((await call(other)).status).toBe(200);
  for (const response of waiting) response.end(answer.subarray(-1));
  const ended = await Promise.all(calls);
  for (const { status, headers, body, length } of ended) {
    if (status === 200) expect(length).toBeGreaterThan(LARGE_BYTES);
    else {
      expect([status, headers.get('retry-after')]).toEqual([503, '5']);
      expect(body.error).toMatchObject({ code: 503, message: expect.stringMatching(/large answers/) });
    }
  }
  await expect.poll(heldBytes).toBe(0);
  expect((await call(greedy)).status).toBe(200);
});

test('DOS-1 clients that leave and upstreams that break off give the memory back', async () => {
  const org = await organization();
  behave = held;
  const left = [ask(org), ask(org)];
  await expect.poll(heldBytes).toBeGreaterThan(2 * LARGE_BYTES);
  for (const asked of left) asked.destroy();
  await expect.poll(heldBytes).toBe(0);
  waiting.length = 0;
  const broken = call(org);
  await expect.poll(heldBytes).toBeGreaterThan(LARGE_BYTES);
  for (const response of waiting) response.destroy();
  expect((await broken).status).toBe(502);
  await expect.poll(heldBytes).toBe(0);
  behave = (response) => response.end(`${answer.toString('latin1')} and no JSON`);
  expect((await call(org)).status).toBe(502);
});

test.each([
  ['as it comes', {}],
  ['recorded', { 'idempotency-key': 'once' }],
  ['looked up first', { 'x-tollgate-cache': 'ttl=60' }],
])('DOS-1 an answer that is not read, %s, counts until it is, or until its client is gone', async (_, headers) => {
  const org = await organization();
  const [reader, sleeper] = [ask(org, headers), ask(org, { ...headers, 'idempotency-key': 'another' })];
  const [[read], [unread]] = (await Promise.all([once(reader, 'response'), once(sleeper, 'response')])) as [
    [IncomingMessage],
    [IncomingMessage],
  ];
  expect([read.statusCode, unread.statusCode]).toEqual([200, 200]);
  expect(await heldBytes()).toBeGreaterThan(2 * LARGE_BYTES);
  read.resume();
  await once(read, 'end');
  await expect.poll(heldBytes).toBeLessThan(2 * LARGE_BYTES);
  expect(await heldBytes()).toBeGreaterThan(LARGE_BYTES);
  sleeper.destroy();
});

test('DOS-1 an answer in a million pieces takes no more memory than in one', async () => {
  const org = await organization();
  // Larger than what is not counted, and far smaller than what a million pieces would take.
  const letters = answer.toString('latin1').replace('x'.repeat(LARGE_BYTES), 'x'.repeat(MIB));
  behave = (response) => {
    response.flushHeaders();
    response.socket?.write(`${[...letters].map((letter) => `1\r\n${letter}\r\n`).join('')}0\r\n`);
    waiting.push(response);
  };
  const called = call(org);
  await expect.poll(heldBytes).toBeGreaterThan(MIB);
  expect(await heldBytes()).toBeLessThan(2 * MIB);
  waiting[0]?.socket?.write('\r\n');
  const { status, text } = await called;
  expect([status, text.includes('x'.repeat(MIB))]).toEqual([200, true]);
});
