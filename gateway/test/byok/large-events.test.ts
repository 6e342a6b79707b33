// Streams with a large event that does not end, many at once, from organizations' own upstreams: what they take of the
// gateway's memory is bounded together with large answers that are not streamed.

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { crc32 } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { illustratingModel, paintingModel } from '../images/image-harness.ts';
import { type ByokBed, isForLackOfRoom, type Org, startByokBed } from './byok-bed.ts';

const MIB = 1024 * 1024;
/** What one organization may have while no other has anything. */
const SHARE_BYTES = 128 * MIB;

type Sending = Readonly<{
  protocol: string;
  type: string;
  model: string;
  asked?: Json;
  begin: string | Buffer;
  bytes: number;
  /** What makes an answer of it. */
  end: string | null;
}>;

const split = (json: Json): [string, string] => JSON.stringify(json).split('FILL') as [string, string];
const frame = (json: Json): string => `data: ${JSON.stringify(json)}\n\n`;
const chunk = (content: string): Json => ({
  id: 'c',
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
});
const filled = split(chunk('FILL'));
const candidate = split({
  candidates: [{ content: { role: 'model', parts: [{ text: 'FILL' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
});
const finish =
  frame({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
  frame({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }) +
  'data: [DONE]\n\n';

/** The beginning of a binary message that is said to be longer than what comes of it. */
function prelude(length: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(length, 0);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  return bytes;
}

const CHAT: Sending = {
  protocol: 'openai',
  type: 'text/event-stream',
  model: 'acme/illustrator',
  begin: `data: ${filled[0]}`,
  bytes: 30 * MIB,
  end: `${filled[1]}\n\n${finish}`,
};
const GEMINI: Sending = { ...CHAT, protocol: 'gemini', begin: `data: ${candidate[0]}`, end: `${candidate[1]}\n\n` };
const BEDROCK: Sending = {
  protocol: 'bedrock',
  type: 'application/vnd.amazon.eventstream',
  model: 'openai/test',
  begin: prelude(16 * MIB),
  bytes: 15 * MIB,
  end: null,
};
/** Asked for as a stream, and answered by an endpoint for pictures that has none. */
const PAINTING: Sending = {
  protocol: 'openai',
  type: 'application/json',
  model: 'acme/painter',
  asked: { modalities: ['image'] },
  begin: '{"data":[{"b64_json":"',
  bytes: 30 * MIB,
  end: null,
};

const FILL = Buffer.alloc(30 * MIB, 'x');
let sending = CHAT;
const waiting: ServerResponse[] = [];
const upstream = createServer((asked, answer) => {
  asked.resume();
  answer.on('error', () => {});
  if (asked.method === 'POST') {
    answer.writeHead(200, { 'content-type': sending.type });
    answer.write(sending.begin);
    answer.write(FILL.subarray(0, sending.bytes));
    waiting.push(answer);
  } else answer.setHeader('content-type', 'application/json').end('{"object":"list","data":[]}');
});

let bed: ByokBed;

beforeAll(async () => {
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  bed = await startByokBed({
    models: { 'acme/illustrator': illustratingModel(), 'acme/painter': paintingModel() },
    unheld: 'a comparison would take long for answers of this size',
  });
});

afterEach(async () => {
  await expect.poll(heldBytes).toBe(0);
  for (const answer of waiting.splice(0)) answer.destroy();
});

afterAll(async () => {
  expect(await bed.harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await bed.close();
  upstream.closeAllConnections();
  upstream.close();
});

const heldBytes = (): Promise<number> => bed.gauge('tollgate_large_answer_bytes');

function organization(): Promise<Org> {
  const modelMappings = [{ model: sending.model, upstreamModel: 'm', enabled: true }];
  return bed.orgOf(upstream, { protocol: sending.protocol, modelMappings });
}

async function call(org: Org): Promise<Readonly<{ status: number; text: string }>> {
  const asked = await fetch(`${bed.harness.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${org.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: sending.model,
      stream: true,
      messages: [{ role: 'user', content: 'Say much.' }],
      ...sending.asked,
    }),
  });
  const text = await asked.text();
  return asked.status === 503 && !isForLackOfRoom(text) ? call(org) : { status: asked.status, text };
}

test.each([
  ['chat with pictures', CHAT],
  ['Gemini', GEMINI],
  ['Bedrock', BEDROCK],
  ['an endpoint for pictures', PAINTING],
])('DOS-1 one organization has a share of the memory for events of %s that do not end', async (_, format) => {
  sending = format;
  const org = await organization();
  const fitting = Math.floor(SHARE_BYTES / format.bytes);
  const extra = 3;
  let refused = 0;
  const calls = Array.from({ length: fitting + extra }, async () => {
    const { status, text } = await call(org);
    // On a busy machine the client has had a sign of life before the refusal, which is in the stream then.
    const isRefused = isForLackOfRoom(text);
    if (isRefused) refused += 1;
    return { status, length: text.length, isRefused, hasFailed: status >= 500 || text.includes('"error"') };
  });
  await expect.poll(() => refused).toBe(extra);
  await expect.poll(heldBytes).toBeGreaterThan(fitting * format.bytes);
  expect(await heldBytes()).toBeLessThanOrEqual(SHARE_BYTES);
  for (const answer of waiting) {
    if (format.end === null) answer.destroy();
    else answer.end(format.end);
  }
  const ended = (await Promise.all(calls)).filter(({ isRefused }) => !isRefused);
  expect(ended).toHaveLength(fitting);
  if (format.end === null) expect(ended.every(({ hasFailed }) => hasFailed)).toBe(true);
  else for (const { status, length } of ended) expect([status, length > format.bytes]).toEqual([200, true]);
});

test('DOS-1 an event that has ended counts no longer, and its stream goes on', async () => {
  sending = CHAT;
  const calling = call(await organization());
  await expect.poll(heldBytes).toBeGreaterThan(CHAT.bytes);
  waiting[0]?.write(`${filled[1]}\n\n`);
  waiting[0]?.write(frame(chunk('And more.')));
  // Bytes that come in one read with the large event count with it.
  await expect
    .poll(async () => {
      waiting[0]?.write(': \n\n');
      return heldBytes();
    })
    .toBe(0);
  waiting[0]?.end(finish);
  const { status, text } = await calling;
  expect([status, text.includes('And more.'), text.length > CHAT.bytes]).toEqual([200, true, true]);
});

test('DOS-1 a stream that has begun and finds no room for an event ends with an error and is not charged', async () => {
  sending = CHAT;
  const org = await organization();
  const fitting = Array.from({ length: Math.floor(SHARE_BYTES / CHAT.bytes) }, () => call(org));
  await expect.poll(heldBytes).toBeGreaterThan(fitting.length * CHAT.bytes);
  const held = waiting.splice(0);
  sending = { ...CHAT, begin: frame(chunk('A word.')) + String(CHAT.begin) };
  const { status, text } = await call(org);
  expect([status, text.includes('A word.')]).toEqual([200, true]);
  expect(text).toMatch(/large answers.*\n\ndata: \[DONE\]/);
  for (const answer of held) answer.end(CHAT.end);
  for (const { status: ended } of await Promise.all(fitting)) expect(ended).toBe(200);
});
