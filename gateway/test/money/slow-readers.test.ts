// Clients ask for much and read slowly, or not at all, until the gateway gives up on them: what was delivered by then
// is charged, nothing stays held, and it does not count against the provider.

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { type Harness, type Json, startHarness } from '../harness.ts';

const TICK_MS = 2_500;
const HOUR_MS = 3_600_000;
const PRICE = 1 / 1_000_000;
const FRAME_TOKENS = 2_000;

/** A provider that sends much, as fast as it is read, unless it is asked for little. */
let asked = 0;
const provider = createServer(async (request, response) => {
  asked += 1;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { max_tokens: limit } = JSON.parse(Buffer.concat(chunks).toString()) as Json;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (limit === undefined) sayMuch(response);
  else response.end(`${frame('brief', 'stop')}data: [DONE]\n\n`);
});

function frame(content: string, finish: string | null): string {
  const usage = finish === null ? {} : { usage: { prompt_tokens: 1, completion_tokens: 1 } };
  const choices = [{ index: 0, delta: { content }, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices, ...usage })}\n\n`;
}

const MUCH = frame('word'.repeat(FRAME_TOKENS), null);

function sayMuch(response: ServerResponse): void {
  let isRead = true;
  while (isRead && !response.destroyed) isRead = response.write(MUCH);
  if (!response.destroyed) response.once('drain', () => sayMuch(response));
}

let aheadMs = 0;
let tick = (): void => {};
let harness: Harness;

beforeAll(async () => {
  // Minutes without reading pass when a test says so, and the whole time can be moved on.
  const every = (intervalMs: number, run: () => void) => {
    if (intervalMs !== TICK_MS) return systemClock.every(intervalMs, run);
    tick = run;
    return () => {};
  };
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const base_url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;
  harness = await startHarness({
    document: {
      providers: { talker: { protocol: 'openai', base_url, api_key: 'k' } },
      models: {
        'acme/endless': {
          pricing: { prompt: '0', completion: '1' },
          supported_parameters: ['temperature'],
          routes: [{ provider: 'talker', upstream_model: 'm' }],
        },
      },
    },
    start: {
      clock: { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + aheadMs, every },
      timeouts: { wholeFirstByteMs: 60_000, streamFirstByteMs: 60_000, idleMs: 60_000, totalMs: 60_000 },
    },
  });
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
  provider.closeAllConnections();
  provider.close();
});

/** A client that reads when it is told to. */
class SlowClient {
  readonly #socket: Socket;
  readonly #chunks: Buffer[] = [];
  readonly closed: Promise<void>;

  constructor(key: string, body: Json) {
    const { hostname, port } = new URL(harness.url);
    const text = JSON.stringify({ messages: [{ role: 'user', content: 'Say much.' }], stream: true, ...body });
    this.#socket = connect(Number(port), hostname);
    this.#socket.pause();
    this.#socket.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
    this.#socket.on('error', () => {});
    this.closed = new Promise((resolve) => this.#socket.once('close', () => resolve()));
    const head = ['POST /v1/chat/completions HTTP/1.1', 'Host: localhost', 'Connection: close'];
    const lines = [
      ...head,
      'Content-Type: application/json',
      `Authorization: Bearer ${key}`,
      `Content-Length: ${Buffer.byteLength(text)}`,
      '',
      text,
    ];
    this.#socket.write(lines.join('\r\n'));
  }

  /** At least this many bytes, and then no more. */
  async read(byteCount: number): Promise<void> {
    this.#socket.resume();
    await expect.poll(() => Buffer.concat(this.#chunks).length).toBeGreaterThan(byteCount);
    this.#socket.pause();
  }

  readOn(): void {
    this.#socket.resume();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

const tokensIn = (text: string): number => {
  const pieces = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece ?? '');
  return pieces.join('').length / 4;
};

async function expectDeliveredPaid(key: string, client: SlowClient): Promise<void> {
  client.readOn();
  await client.closed;
  const spent = await harness.spent(key);
  const delivered = tokensIn(client.text);
  expect(delivered).toBeGreaterThan(100);
  // Counted as it is written, of which the network may still hold something.
  expect(delivered * PRICE).toBeLessThanOrEqual(spent * 1.02);
  expect(spent).toBeLessThan(100);
}

test('BILL-05 STRM-06 who reads nothing for a minute is given up on, and pays for what was delivered', async () => {
  const { key, userId } = await harness.account(100);
  asked = 0;
  const client = new SlowClient(key, { model: 'acme/endless' });
  const spent = () => {
    tick();
    return harness.spent(key);
  };
  await expect.poll(spent).toBeGreaterThan(0);
  await expectDeliveredPaid(key, client);
  expect(asked).toBe(1);
  const absorbed = JSON.stringify(await harness.operate('GET', '/admin/v1/absorbed'));
  expect(absorbed).not.toContain(userId);
});

test('BILL-05 who leaves before that is refunded as ever', async () => {
  const { key, userId } = await harness.account(100);
  const client = new SlowClient(key, { model: 'acme/endless' });
  await client.read(10_000);
  client.destroy();
  const absorbed = async () => JSON.stringify(await harness.operate('GET', '/admin/v1/absorbed'));
  await expect.poll(absorbed).toContain(userId);
  expect(await harness.spent(key)).toBe(0);
});

test('STRM-13 BILL-05 who reads so slowly that an answer takes longer than any may is told so, and pays for what was delivered', async () => {
  const { key } = await harness.account(100);
  const client = new SlowClient(key, { model: 'acme/endless' });
  await client.read(10_000);
  aheadMs += 5 * HOUR_MS;
  await expect.poll(() => harness.spent(key)).toBeGreaterThan(0);
  await expectDeliveredPaid(key, client);
  expect(client.text).toContain('The answer took longer than any may take.');
  // The route is as good as before; the jump of the clock has only cost the process its leases, which it takes again.
  const next = async () => (await harness.stream(key, { model: 'acme/endless', max_tokens: 10 })).isDone;
  await expect.poll(next).toBe(true);
});
