// Answers that pass through a recording on their way to the client, because they are kept to be given again: what they
// take of the gateway's memory is bounded too, a slow client slows its upstream down, and a cut file ends as one.

import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { speechModel } from '../audio/audio-harness.ts';
import type { Json } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';
import { type ByokBed, isForLackOfRoom, type Org, startByokBed } from './byok-bed.ts';

const MIB = 1024 * 1024;
/** What one organization may have while no other has anything. */
const SHARE_BYTES = 128 * MIB;

const frame = (json: object): string => `data: ${JSON.stringify(json)}\n\n`;
const PIECE = frame({ id: 'c', choices: [{ index: 0, delta: { content: 'x'.repeat(MIB / 2) }, finish_reason: null }] });
const FINISH =
  frame({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
  frame({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }) +
  'data: [DONE]\n\n';

let pieces = 0;
let written = 0;
/** Streams that have sent all their pieces, and end when the test says so. */
const sent: ServerResponse[] = [];

async function sendPieces(answer: ServerResponse): Promise<void> {
  for (let piece = 0; piece < pieces; piece += 1) {
    const isTaken = answer.write(PIECE);
    written += 1;
    if (!isTaken) await once(answer, 'drain');
  }
  sent.push(answer);
}

const upstream = createServer((asked, answer) => {
  asked.resume();
  answer.on('error', () => {});
  if (asked.method !== 'POST') answer.setHeader('content-type', 'application/json').end('{"object":"list","data":[]}');
  else {
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    sendPieces(answer).catch(() => {});
  }
});

let bed: ByokBed;

beforeAll(async () => {
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  bed = await startByokBed({
    models: { 'acme/cut': speechModel('reset-after-2'), 'acme/large': { commands: 'tokens-10-20+size-14000000' } },
    unheld: 'a comparison would take long for answers of this size',
  });
});
afterEach(async () => {
  await expect.poll(endedBytes).toBe(0);
  opened.length = 0;
  written = 0;
});
afterAll(async () => {
  expect(await bed.harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await bed.close();
  upstream.closeAllConnections();
  upstream.close();
});

const heldBytes = (): Promise<number> => bed.gauge('tollgate_large_answer_bytes');

/** A call whose answer could not be kept in time has run once more. */
function endedBytes(): Promise<number> {
  for (const answer of sent.splice(0)) answer.end(FINISH);
  return heldBytes();
}

const organization = (): Promise<Org> => bed.orgOf(upstream);

const BODY = JSON.stringify({ model: 'openai/test', stream: true, messages: [{ role: 'user', content: 'Say much.' }] });

/** Answers that nobody has read. */
const opened: IncomingMessage[] = [];

/** The answer as soon as it has begun; nothing of it is read. */
async function ask(path: string, org: Org, headers: object, body = ''): Promise<IncomingMessage> {
  const asking = request(`${bed.harness.url}${path}`, {
    method: body === '' ? 'GET' : 'POST',
    headers: { ...headers, authorization: `Bearer ${org.key}`, 'content-type': 'application/json' },
  });
  asking.end(body);
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  if (answer.statusCode === 503 && !isForLackOfRoom(await text(answer))) return ask(path, org, headers, body);
  opened.push(answer);
  return answer;
}

const begin = (org: Org, headers: Record<string, string>): Promise<IncomingMessage> =>
  ask('/v1/chat/completions', org, headers, BODY);

async function lengthOf(answer: IncomingMessage): Promise<number> {
  let length = 0;
  for await (const bytes of answer) length += (bytes as Buffer).length;
  return length;
}

/** The upstream waits for somebody to read. */
async function stall(): Promise<void> {
  let before = 0;
  await expect
    .poll(
      () => {
        const isStalled = written > 0 && written === before;
        before = written;
        return isStalled;
      },
      { interval: 250 },
    )
    .toBe(true);
}

test('DOS-1 a client that reads slowly slows its upstream down, also where its answer is recorded', async () => {
  pieces = 100;
  const answer = await begin(await organization(), { 'x-tollgate-cache': 'ttl=60' });
  await stall();
  expect(sent).toHaveLength(0);
  const reading = lengthOf(answer);
  await expect.poll(() => sent.length).toBe(1);
  sent[0]?.end(FINISH);
  expect(await reading).toBeGreaterThan(pieces * PIECE.length);
});

test('AUD-05 a file that breaks off is cut, also where it is recorded', async () => {
  const { key } = await bed.harness.account();
  const speaking = fetch(`${bed.harness.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-tollgate-cache': 'ttl=60' },
    body: JSON.stringify({ model: 'acme/cut', input: 'Hello there', voice: 'alloy' }),
  });
  await expect(speaking.then((answer) => answer.arrayBuffer())).rejects.toThrow();
});

test('DOS-1 what is recorded for an Idempotency-Key is counted, and what finds no room cannot be repeated', async () => {
  pieces = 24;
  const org = await organization();
  const calls = Math.floor(SHARE_BYTES / (pieces * PIECE.length)) + 2;
  const keyOf = (index: number) => ({ 'idempotency-key': `recorded-${index}` });
  for (let index = 0; index < calls; index += 1) (await begin(org, keyOf(index))).destroy();
  await expect.poll(() => sent.length).toBe(calls);
  await expect.poll(heldBytes).toBeGreaterThan(SHARE_BYTES / 2);
  expect(await heldBytes()).toBeLessThanOrEqual(SHARE_BYTES);
  for (const answer of sent) answer.end(FINISH);
  const statuses: (number | undefined)[] = [];
  for (let index = 0; index < calls; index += 1) {
    const again = await begin(org, keyOf(index));
    statuses.push(again.statusCode);
    again.destroy();
  }
  expect(new Set(statuses)).toEqual(new Set([200, 409]));
  expect(statuses.filter((status) => status === 409).length).toBeLessThanOrEqual(3);
});

test('DOS-1 kept answers take room until they are read, however often they are asked for', async () => {
  pieces = 28;
  const org = await organization();
  const fitting = Math.floor(SHARE_BYTES / (pieces * PIECE.length));
  const endOne = async () => {
    await expect.poll(() => sent.length).toBe(1);
    sent.pop()?.end(FINISH);
  };
  const repeated = { 'idempotency-key': 'asked-often' };
  const first = await begin(org, repeated);
  await endOne();
  await lengthOf(first);
  const kept = async () => (await begin(org, repeated)).statusCode;
  await unread(kept, fitting);
  const ordered = await begin(org, { prefer: 'respond-async' });
  ordered.resume();
  await endOne();
  const path = `${ordered.headers.location}/result`;
  const result = async () => (await ask(path, org, {})).statusCode;
  await expect.poll(result).toBe(200);
  for (const answer of opened.splice(0)) answer.destroy();
  await unread(result, fitting);
});

test('DOS-1 downloads of large results that nobody reads take room', async () => {
  const org = await bed.org(10);
  const messages = [{ role: 'user', content: 'Say much.' }];
  const line = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: { model: 'acme/large', messages } };
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([JSON.stringify(line)]), 'in.jsonl');
  const headers = { authorization: `Bearer ${org.key}` };
  const sentFile = await fetch(`${bed.harness.url}/v1/files`, { method: 'POST', headers, body: form });
  const { id: input_file_id } = (await sentFile.json()) as Json;
  const order = { input_file_id, endpoint: '/v1/chat/completions', completion_window: '24h' };
  const { body } = await bed.harness.request('POST', '/v1/batches', { key: org.key, body: order });
  const read = async () => (await bed.harness.request('GET', `/v1/batches/${body.id}`, { key: org.key })).body;
  await expect.poll(async () => (await read()).status, { timeout: PATIENCE_MS }).toBe('completed');
  const path = `/v1/files/${(await read()).output_file_id}/content`;
  await unread(async () => (await ask(path, org, {})).statusCode, SHARE_BYTES / (8 * MIB));
});

async function unread(asking: () => Promise<number | undefined>, fitting: number): Promise<void> {
  await expect.poll(heldBytes).toBe(0);
  const statuses = await Promise.all(Array.from({ length: fitting + 3 }, asking));
  for (const answer of opened.splice(0)) answer.destroy();
  expect(statuses.toSorted()).toEqual([...Array(fitting).fill(200), 503, 503, 503]);
}
