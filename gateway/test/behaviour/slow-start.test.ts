// A streaming client whose upstream is slow to begin gets its headers and keep-alives, and later failures arrive inside
// the stream.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { type Harness, startHarness } from '../harness.ts';

const TICK_MS = 2_500;
let harness: Harness;
let key: string;

beforeAll(async () => {
  // Only the ticker of the keep-alives runs faster.
  const every = (intervalMs: number, run: () => void) =>
    systemClock.every(intervalMs === TICK_MS ? 20 : intervalMs, run);
  const stalled = { provider: 'sim', upstream_model: 'sim-stall' };
  harness = await startHarness({
    models: {
      'acme/stalled': { routes: [stalled] },
      'acme/headless': { commands: 'stall-in-headers' },
      'acme/slow': { routes: [stalled] },
      'acme/quick': { commands: 'tokens-10-5' },
      'acme/refused': { commands: 'status-400' },
    },
    start: {
      clock: { ...systemClock, every },
      timeouts: { wholeFirstByteMs: 5_000, streamFirstByteMs: 1_500, idleMs: 5_000, totalMs: 60_000 },
    },
  });
  key = (await harness.account()).key;
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await harness.close();
});

const messages = [{ role: 'user', content: 'Say hello.' }];
const bodies: Readonly<Record<string, object>> = {
  '/v1/chat/completions': { messages },
  '/v1/responses': { input: 'Say hello.' },
  '/v1/messages': { messages, max_tokens: 100 },
};

const surfaces = Object.keys(bodies).flatMap((path) => ['acme/stalled', 'acme/headless'].map((model) => [path, model]));

test.each(surfaces)('STRM-03 ERR-12 on %s over %s: a head, signs of life, then an error event', async (path, model) => {
  const body = { ...bodies[path as string], model, stream: true };
  const answer = await harness.request('POST', path as string, { key, body });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  expect(answer.headers.get('x-generation-id')).toMatch(/^gen-/);
  const alive = path === '/v1/messages' ? 'event: ping' : ': ';
  const places = [answer.text.indexOf(alive), answer.text.indexOf('did not answer in time')];
  expect(places[0]).toBe(0);
  expect(places[1]).toBeGreaterThan(0);
  expect(await harness.spent(key)).toBe(0);
});

test('STRM-03 while another provider is tried the client is kept, and gets its answer', async () => {
  const rescued = await harness.account();
  const answer = await harness.stream(rescued.key, { model: 'acme/slow', models: ['acme/quick'] });
  expect(answer.status).toBe(200);
  expect(answer.text.startsWith(': ')).toBe(true);
  expect(answer.isDone).toBe(true);
  expect(await harness.spent(rescued.key)).toBeGreaterThan(0);
});

test('STRM-03 an error that comes at once is an ordinary one', async () => {
  const answer = await harness.chat(key, { model: 'acme/refused', stream: true });
  expect(answer.status).toBe(400);
  expect(answer.headers.get('content-type')).toContain('application/json');
});
