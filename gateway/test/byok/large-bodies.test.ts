// Large requests, many at once: what their bodies take of the gateway's memory is bounded, each account leaves room to
// the others, and all of it is given back when the calls are over, or when a client has left.

import { once } from 'node:events';
import { type ClientRequest, createServer, request } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ByokBed, type Org, startByokBed } from './byok-bed.ts';

const MIB = 1024 * 1024;
/** What one account may have while no other has anything. */
const SHARE_BYTES = 192 * MIB;
const FITTING = 22;
const EXTRA = 3;

/** Takes requests and does not answer them. */
const upstream = createServer((asked, answer) => {
  asked.resume();
  if (asked.method !== 'POST') answer.setHeader('content-type', 'application/json').end('{"object":"list","data":[]}');
});

let bed: ByokBed;
const asked: ClientRequest[] = [];

beforeAll(async () => {
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  bed = await startByokBed({
    models: { 'acme/seer': { entry: { input_modalities: ['text', 'image'] } } },
    unheld: 'a comparison would take long for requests of this size',
  });
});
afterEach(async () => {
  for (const one of asked.splice(0)) one.destroy();
  // Calls that go on without their clients are over when their upstream has cut them off.
  await expect
    .poll(() => {
      upstream.closeAllConnections();
      return heldBytes();
    })
    .toBe(0);
});
afterAll(async () => {
  upstream.closeAllConnections();
  await bed.close();
  upstream.close();
});

const heldBytes = (): Promise<number> => bed.gauge('tollgate_large_body_bytes');

function organization(): Promise<Org> {
  const modelMappings = [{ model: 'acme/seer', upstreamModel: 'm', enabled: true }];
  return bed.orgOf(upstream, { modelMappings }, 1);
}

const PICTURE = `data:image/png;base64,${Buffer.alloc(6.5 * MIB, 7).toString('base64')}`;
const content = [{ type: 'image_url', image_url: { url: PICTURE } }];
const BODY = Buffer.from(JSON.stringify({ model: 'acme/seer', messages: [{ role: 'user', content }] }));

type Sending = Readonly<{ headers?: Record<string, string>; body?: Buffer; isLeftOpen?: boolean }>;

/** Its status, where it is answered before the test is over. */
async function send({ key }: Org, path: string, { headers = {}, body = BODY, isLeftOpen }: Sending): Promise<number> {
  const one = request(`${bed.harness.url}${path}`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });
  asked.push(one);
  one.on('error', () => {});
  one.write(body);
  if (isLeftOpen !== true) one.end();
  const [answer] = await once(one, 'response');
  answer.resume();
  return answer.statusCode;
}

async function fill(sendOne: (index: number) => Promise<number>, count: number): Promise<number[]> {
  const refusals: number[] = [];
  for (let index = 0; index < count; index += 1) {
    sendOne(index).then(
      (status) => refusals.push(status),
      () => {},
    );
  }
  await expect.poll(() => refusals.length).toBeGreaterThanOrEqual(EXTRA);
  return refusals;
}

const length = { 'content-length': String(BODY.length) };

test.each([
  ['that wait for their upstream', (org: Org) => send(org, '/v1/chat/completions', { headers: length })],
  [
    'of unknown length that do not come to their end',
    (org: Org) => send(org, '/v1/chat/completions', { body: BODY.subarray(0, -1), isLeftOpen: true }),
  ],
  [
    'that go on without their clients',
    (org: Org, index: number) =>
      send(org, '/v1/chat/completions', { headers: { ...length, 'idempotency-key': `large-${index}` } }),
  ],
])('DOS-1 one account has a share of the memory for requests %s, and another its own', async (_, sendOne) => {
  const [org, other] = [await organization(), await organization()];
  const refusals = await fill((index) => sendOne(org, index), FITTING + EXTRA);
  expect(new Set(refusals)).toEqual(new Set([503]));
  expect(await heldBytes()).toBeLessThanOrEqual(SHARE_BYTES);
  expect(await heldBytes()).toBeGreaterThan(SHARE_BYTES / 2);
  const before = await heldBytes();
  sendOne(other, 0).catch(() => {});
  await expect.poll(heldBytes).toBeGreaterThan(before);
});

test('DOS-1 a request that goes on without its client takes memory until its call is over', async () => {
  const org = await organization();
  const arrived = once(upstream, 'request');
  send(org, '/v1/chat/completions', { headers: { ...length, 'idempotency-key': 'left' } }).catch(() => {});
  await arrived;
  const before = await heldBytes();
  expect(before).toBeGreaterThanOrEqual(BODY.length);
  const [one] = asked.splice(0);
  const gone = once(one?.socket as Socket, 'close');
  one?.destroy();
  await gone;
  // The gateway has heard of it when it answers somebody who came later.
  await heldBytes();
  expect(await heldBytes()).toBe(before);
});

test('DOS-1 a length that is only declared takes no memory from anybody', async () => {
  const { key } = await organization();
  const headers = { ...length, authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  for (let index = 0; index < FITTING + EXTRA; index += 1) {
    const one = request(`${bed.harness.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...headers, expect: '100-continue' },
    });
    asked.push(one);
    one.on('error', () => {});
    one.flushHeaders();
    // Sent when the gateway begins to read.
    await once(one, 'continue');
  }
  expect(await heldBytes()).toBe(0);
});

test('DOS-1 batches of Messages that do not come to their end count for their account', async () => {
  const org = await organization();
  const headers = { 'content-length': String(30 * MIB) };
  const refusals = await fill(() => send(org, '/v1/messages/batches', { headers, isLeftOpen: true }), 6 + EXTRA);
  expect(new Set(refusals)).toEqual(new Set([529]));
});
