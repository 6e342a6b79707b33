// Calls with an Idempotency-Key: one charge and one answer, for every repetition within a day, by any client at any
// process.

import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { type Gateways, startTwoGateways } from '../caps/two-gateways.ts';
import type { Answer, Harness, Json } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';

const PATIENCE = { timeout: PATIENCE_MS, interval: 20 };
const COST = 0.00005;
const DAY_MS = 24 * 3_600_000;

let gateways: Gateways;
let first: Harness;
let second: Harness;
let aheadMs = 0;

beforeAll(async () => {
  const pricing = { prompt: '1', completion: '2' };
  gateways = await startTwoGateways({
    start: { clock: { ...systemClock, nowMs: () => Date.now() + aheadMs } },
    models: {
      'acme/quick': { commands: 'tokens-10-20', entry: { pricing } },
      'acme/slow': { commands: 'tokens-10-20+delay-700', entry: { pricing } },
      'acme/dripping': { commands: 'tokens-10-20+chunks-8+drip-100', entry: { pricing } },
      'acme/broken': { commands: 'status-500', entry: { pricing } },
      'acme/cut': { commands: 'tokens-10-20+reset-after-3', entry: { pricing } },
      'acme/long': { commands: 'tokens-10-20+size-18000000', entry: { pricing } },
      'acme/embed': { entry: { output_modalities: ['embeddings'], pricing } },
      'acme/listener': {
        entry: {
          input_modalities: ['audio'],
          output_modalities: ['transcription'],
          pricing: { audio_second: '0.0001' },
        },
      },
    },
  });
  ({ first, second } = gateways);
});
afterEach(() => {
  aheadMs = 0;
  first.simulator.clearRequests();
});
afterAll(async () => {
  expect(await first.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await gateways.close();
});

const once = (name: string) => ({ 'Idempotency-Key': name });
const codeOf = ({ body }: Answer): unknown => (body.error as Json | undefined)?.code;
const asked = (): number => first.simulator.requests.length;

test('repeated, in another process too, it gives the same answer and charges nothing', async () => {
  const { key } = await first.account();
  const answer = await first.chat(key, { model: 'acme/quick' }, once('a'));
  expect(answer.headers.get('idempotent-replayed')).toBeNull();
  for (const harness of [first, second]) {
    const again = await harness.chat(key, { model: 'acme/quick' }, once('a'));
    expect(again.text).toBe(answer.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('x-generation-id')).toBe(answer.headers.get('x-generation-id'));
    expect(again.headers.get('x-request-id')).not.toBe(answer.headers.get('x-request-id'));
  }
  expect(asked()).toBe(1);
  expect(await first.spent(key)).toBe(COST);
});

test('two hundred at once, on two processes, are one call', async () => {
  const { key } = await first.account();
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      (index % 2 === 0 ? first : second).chat(key, { model: 'acme/slow' }, once('crowd')),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(asked()).toBe(1);
  expect(await first.spent(key)).toBe(COST);
});

test('a stream is followed while it runs and repeated when it is over, with the same bytes', async () => {
  const { key } = await first.account();
  const body = { model: 'acme/dripping', stream: true };
  const [one, two] = await Promise.all([first.chat(key, body, once('stream')), first.chat(key, body, once('stream'))]);
  const three = await second.chat(key, body, once('stream'));
  expect(one.text).toMatch(/data: \[DONE\]\n\n$/);
  expect(two.text).toBe(one.text);
  expect(three.text).toBe(one.text);
  expect(three.headers.get('content-type')).toBe(one.headers.get('content-type'));
  expect(await first.spent(key)).toBe(COST);
  expect(asked()).toBe(1);
});

test('a client that has left is answered when it comes back', async () => {
  const { key } = await first.account();
  const leaving = new AbortController();
  const left = fetch(`${first.url}/v1/chat/completions`, {
    method: 'POST',
    signal: leaving.signal,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...once('left') },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Say hello.' }], model: 'acme/slow' }),
  });
  await vi.waitFor(() => expect(asked()).toBe(1), PATIENCE);
  leaving.abort();
  await expect(left).rejects.toThrow();
  const answer = await second.chat(key, { model: 'acme/slow' }, once('left'));
  expect(answer.status).toBe(200);
  expect(asked()).toBe(1);
  expect(await first.spent(key)).toBe(COST);
});

test('another body, or another route, with the same key is refused', async () => {
  const { key } = await first.account();
  await first.chat(key, { model: 'acme/quick' }, once('one body'));
  for (const harness of [first, second]) {
    const other = await harness.chat(key, { model: 'acme/quick', temperature: 0 }, once('one body'));
    expect([other.status, codeOf(other)]).toEqual([409, 409]);
  }
  const body = { model: 'acme/quick', messages: [{ role: 'user', content: 'Say hello.' }] };
  const elsewhere = await first.request('POST', '/v1/messages', {
    key,
    body: { ...body, max_tokens: 5 },
    headers: once('one body'),
  });
  expect(elsewhere.status).toBe(409);
  const running = first.chat(key, { model: 'acme/slow' }, once('while it runs'));
  await vi.waitFor(() => expect(asked()).toBe(2), PATIENCE);
  expect((await first.chat(key, { model: 'acme/slow', seed: 1 }, once('while it runs'))).status).toBe(409);
  expect((await second.chat(key, { model: 'acme/slow', seed: 1 }, once('while it runs'))).status).toBe(409);
  expect((await running).status).toBe(200);
});

test('a call that asks for a job is another request than one that waits for its answer', async () => {
  const { key } = await first.account();
  const later = (name: string) => ({ ...once(name), Prefer: 'respond-async' });
  const job = await first.chat(key, { model: 'acme/quick' }, later('a job'));
  expect([job.status, job.body.object]).toEqual([202, 'job']);
  const waiting = await second.chat(key, { model: 'acme/quick' }, once('a job'));
  expect([waiting.status, codeOf(waiting)]).toEqual([409, 409]);
  const again = await second.chat(key, { model: 'acme/quick' }, later('a job'));
  expect([again.status, again.body.id]).toEqual([202, job.body.id]);
  await vi.waitFor(async () => {
    expect((await first.request('GET', `/v1/jobs/${job.body.id}/result`, { key })).status).toBe(200);
  }, PATIENCE);

  expect((await first.chat(key, { model: 'acme/quick' }, once('an answer'))).status).toBe(200);
  expect((await first.chat(key, { model: 'acme/quick' }, later('an answer'))).status).toBe(409);
  expect(asked()).toBe(2);
});

test('nobody gets what another account, or another key, has asked for', async () => {
  const [one, two] = await Promise.all([first.account(), first.account()]);
  await first.chat(one.key, { model: 'acme/quick' }, once('shared'));
  const other = await first.chat(two.key, { model: 'acme/quick' }, once('shared'));
  expect(other.headers.get('idempotent-replayed')).toBeNull();
  expect(await first.spent(two.key)).toBe(COST);
  const made = await first.operate('POST', `/admin/v1/users/${one.userId}/keys`, { name: 'b', keyType: 'standard' });
  const sibling = await first.chat(String(made.key), { model: 'acme/quick' }, once('shared'));
  expect(sibling.headers.get('idempotent-replayed')).toBeNull();
  expect((await first.chat('sk-tg-nobody', { model: 'acme/quick' }, once('shared'))).status).toBe(401);
});

test('what failed is tried again, and everybody who waited is told', async () => {
  const { key } = await first.account();
  const failed = await Promise.all([
    first.chat(key, { model: 'acme/broken' }, once('broken')),
    first.chat(key, { model: 'acme/broken' }, once('broken')),
  ]);
  expect(failed.map(({ status }) => status)).toEqual([502, 502]);
  await first.chat(key, { model: 'acme/broken' }, once('broken'));
  const cut = () => first.chat(key, { model: 'acme/cut', stream: true }, once('cut'));
  expect((await cut()).text).toContain('"error"');
  const before = asked();
  expect((await cut()).headers.get('idempotent-replayed')).toBeNull();
  expect(asked()).toBeGreaterThan(before);
  expect((await first.chat(key, {}, once('no model'))).status).toBe(400);
  expect((await first.chat(key, { model: 'acme/quick' }, once('no model'))).status).toBe(200);
  expect(await first.spent(key)).toBe(COST);
});

test('BILL-08 a call that a process charged before it died is charged once, also when the next run fails', async () => {
  const { key, userId } = await first.account();
  const ask = (harness: Harness) => harness.chat(key, { model: 'acme/quick' }, once('charged'));
  const answer = await ask(first);
  // As a process leaves it that is killed after the charge and before the answer is kept.
  await gateways.rows(
    "update idempotent_calls set runner = 'dead', alive_at = '-infinity', answer = null where account_id = $1",
    [userId],
  );
  first.simulator.script('status-400');
  expect((await ask(second)).status).toBe(400);
  const again = await ask(first);
  expect(again.status).toBe(200);
  expect(again.headers.get('x-generation-id')).toBe(answer.headers.get('x-generation-id'));
  expect((await ask(second)).headers.get('idempotent-replayed')).toBe('true');
  expect(await first.spent(key)).toBe(COST);
});

test('after a day the key is free again, and what was kept is removed', async () => {
  const { key } = await first.account();
  await first.chat(key, { model: 'acme/quick' }, once('yesterday'));
  aheadMs = DAY_MS - 60_000;
  expect((await first.chat(key, { model: 'acme/quick' }, once('yesterday'))).headers.get('idempotent-replayed')).toBe(
    'true',
  );
  aheadMs = DAY_MS + 60_000;
  const anew = await first.chat(key, { model: 'acme/quick', temperature: 1 }, once('yesterday'));
  expect(anew.headers.get('idempotent-replayed')).toBeNull();
  expect(await first.spent(key)).toBe(2 * COST);
});

test('nothing of a prompt, a key or an answer can be read in the table', async () => {
  const { key } = await first.account();
  await first.chat(key, { model: 'acme/quick', user: 'plainly-visible' }, once('visible-key'));
  const rows = await gateways.rows(
    'select id, account_id, body_digest, encode(answer, $1) as answer from idempotent_calls where answer is not null',
    ['escape'],
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toMatch(/visible-key|plainly-visible|choices|tokens/);
});

test('an answer that is too large to be kept is given once, charged once, and not run again', async () => {
  const { key } = await first.account();
  const answer = await first.chat(key, { model: 'acme/long', max_tokens: 1_000_000 }, once('long'));
  expect(answer.status).toBe(200);
  const again = await first.chat(key, { model: 'acme/long', max_tokens: 1_000_000 }, once('long'));
  expect([again.status, codeOf(again)]).toEqual([409, 409]);
  expect(asked()).toBe(1);
});

test.each(['', ' '.repeat(300), 'ümlaut'])('a key that is none is refused: %j', async (name) => {
  const { key } = await first.account();
  // Fetch would not send some of them; a missing header is not a key.
  const answer = await first.chat(
    key,
    { model: 'acme/quick' },
    { 'Idempotency-Key': Buffer.from(name).toString('latin1') },
  );
  expect(answer.status).toBe(400);
});

test('forms are compared by what they hold, not by how their parts are divided', async () => {
  const { key } = await first.account();
  const transcribe = (text: string) => {
    const form = new FormData();
    form.set('model', 'acme/listener');
    form.set('file', new Blob([Buffer.concat([Buffer.from('RIFF'), Buffer.alloc(4_000), Buffer.from(text)])]), 'a.wav');
    const headers = { Authorization: `Bearer ${key}`, ...once('form') };
    return fetch(`${first.url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form });
  };
  const answer = await transcribe('a');
  expect(answer.status).toBe(200);
  const again = await transcribe('a');
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect(await again.text()).toBe(await answer.text());
  expect((await transcribe('b')).status).toBe(409);
});

test('an account that keeps too much is refused further keys, and still gets what it has', async () => {
  const { key, userId } = await first.account();
  await first.chat(key, { model: 'acme/quick' }, once('kept'));
  await gateways.rows('update idempotent_calls set answer_bytes = 300000000 where account_id = $1', [userId]);
  const { key: other, userId: otherId } = await first.account();
  await gateways.rows('update idempotent_calls set account_id = $2 where account_id = $1', [userId, otherId]);
  expect((await first.chat(other, { model: 'acme/quick' }, once('more'))).status).toBe(429);
  expect((await first.chat(other, { model: 'acme/quick' })).status).toBe(200);
});

test("the openai package's own option", async () => {
  const { key } = await first.account();
  const client = new OpenAI({ apiKey: key, baseURL: `${first.url}/v1`, maxRetries: 0 });
  // Without this the package does not send the key.
  Object.assign(client, { idempotencyHeader: 'Idempotency-Key' });
  const call = () => client.embeddings.create({ model: 'acme/embed', input: 'one' }, { idempotencyKey: 'package' });
  expect(await call()).toEqual(await call());
  expect(asked()).toBe(1);
});
