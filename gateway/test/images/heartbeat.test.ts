// Clients that wait for pictures get a heartbeat once a minute. A minute is a twentieth of a second here.

import { setTimeout as sleep } from 'node:timers/promises';
import type { RecordedRequest } from '@tollgate/simulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import type { Harness, Json } from '../harness.ts';
import { eventsOf, illustratingModel, paint, paintingModel, startImages } from './image-harness.ts';

const MINUTE_MS = 60_000;
const beats: number[] = [];
const sleepers: (() => void)[] = [];
const nextBeat = (): Promise<void> => new Promise((resolve) => sleepers.push(resolve));
/** Periodic work of a gateway began before and is not a heartbeat. */
let isServing = false;

const clock: Clock = {
  ...systemClock,
  every(intervalMs, run) {
    if (!isServing || intervalMs !== MINUTE_MS) return systemClock.every(intervalMs, run);
    beats.push(intervalMs);
    return systemClock.every(50, () => {
      run();
      for (const wake of sleepers.splice(0)) wake();
    });
  },
};

let harness: Harness;

beforeAll(async () => {
  harness = await startImages({
    start: { clock },
    models: {
      'acme/slow': paintingModel('wait-1'),
      'acme/fails-late': paintingModel('status-500'),
      'acme/artist': illustratingModel('tokens-100-200'),
      'acme/artist-fails': illustratingModel('status-401'),
    },
  });
  isServing = true;
  // The upstream answers after the third beat.
  for (const path of ['/images/generations', '/chat/completions']) {
    const answer = async ({ json }: RecordedRequest): Promise<string> => {
      for (let beat = 0; beat < 3; beat += 1) await nextBeat();
      return String((json as Json).model).replace('sim-', '');
    };
    harness.simulator.script(answer, { path, times: Number.POSITIVE_INFINITY });
  }
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
});

const names = (text: string): string[] => eventsOf(text).map(({ event }) => event);

test('IMG-15 every 60 s while nobody has answered, and then the pictures', async () => {
  const { key } = await harness.account(5);
  const answer = await paint(harness, key, { model: 'acme/slow', stream: true });
  expect(answer.status).toBe(200);
  const events = names(answer.text);
  expect(events.filter((event) => event === 'heartbeat').length).toBeGreaterThanOrEqual(2);
  expect(events.filter((event) => event !== 'heartbeat')).toEqual(['image', 'image-cached', 'usage', 'done']);
  expect(events[0]).toBe('heartbeat');
  expect(eventsOf(answer.text)[0]?.data).toEqual({});
  expect(answer.headers.get('x-generation-id')).toMatch(/^gen-/);
  expect(answer.headers.get('x-ratelimit-limit')).not.toBeNull();
  expect(await harness.spent(key)).toBe(0.04);
  expect(new Set(beats)).toEqual(new Set([MINUTE_MS]));
});

test('IMG-15 AMB-26 in a conversation too, where the end is as always', async () => {
  const { key } = await harness.account(5);
  const answer = await harness.stream(key, { model: 'acme/artist', modalities: ['image', 'text'] });
  const events = names(answer.text);
  expect(events[0]).toBe('heartbeat');
  expect(events.filter((event) => event !== 'heartbeat' && event !== 'message')).toEqual([
    'image',
    'image-cached',
    'usage',
    'done',
  ]);
  expect(answer.isDone).toBe(true);
  expect(await harness.spent(key)).toBe(0.0405);
});

test('IMG-15 STRM-07 a failure after the first beat is an event, and nothing is charged', async () => {
  const { key } = await harness.account(5);
  const answer = await paint(harness, key, { model: 'acme/fails-late', stream: true });
  expect(answer.status).toBe(200);
  expect(names(answer.text).filter((event) => event !== 'heartbeat')).toEqual(['error', 'done']);
  expect((eventsOf(answer.text).at(-2)?.data.error as Json | undefined)?.code).toBe('upstream_unavailable');
  const chat = await harness.stream(key, { model: 'acme/artist-fails', modalities: ['image'] });
  expect(chat.frames.at(-1)?.error).toMatchObject({ code: 'upstream_auth_failed' });
  expect(chat.isDone).toBe(true);
  expect(await harness.spent(key)).toBe(0);
});

test('IMG-07 who does not read events gets none, and waits', async () => {
  harness.simulator.clearScripts();
  const { key } = await harness.account(5);
  const answer = await paint(harness, key, { model: 'acme/slow' });
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.body.data).toHaveLength(1);
});

test('STRM-06 ABT-1 a client that leaves before the pictures have come pays nothing', async () => {
  harness.simulator.script(() => new Promise(() => {}));
  const { key } = await harness.account(5);
  const controller = new AbortController();
  const response = await fetch(`${harness.url}/v1/images/generations`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'acme/slow', prompt: 'x', stream: true }),
    signal: controller.signal,
  });
  await response.body?.getReader().read();
  controller.abort();
  const request = await harness.simulator.waitFor(({ isAborted }) => isAborted);
  expect(request.path).toBe('/v1/images/generations');
  await sleep(50);
  expect(await harness.spent(key)).toBe(0);
});
