// While an upstream is silent, the client gets comment lines and nothing else: a named heartbeat would break its
// parsers.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { commanded, everyWay, type Setup, startThreeUpstreams } from './three-upstreams.ts';

const TICK_MS = 2_500;
let setup: Setup;

beforeAll(async () => {
  // Only the ticker of the keep-alives runs faster.
  const every = (intervalMs: number, run: () => void) =>
    systemClock.every(intervalMs === TICK_MS ? 20 : intervalMs, run);
  setup = await startThreeUpstreams(['stall-after-2'], { clock: { ...systemClock, every } });
});

afterAll(() => setup.harness.close());

test.each(everyWay)('STRM-03 over %s', async (way) => {
  const controller = new AbortController();
  const response = await fetch(`${setup.harness.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${setup.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: commanded(way, 'stall-after-2'), input: 'Say hello.', stream: true }),
    signal: controller.signal,
  });
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.split('\n: ').length > 3) break;
  }
  controller.abort();
  const frames = text.split('\n\n').filter((frame) => frame !== '');
  const comments = frames.filter((frame) => frame.startsWith(':'));
  expect(comments.length).toBeGreaterThanOrEqual(3);
  const events = frames.filter((frame) => !frame.startsWith(':'));
  expect(events.every((frame) => frame.startsWith('event: response.'))).toBe(true);
  expect(events.at(-1)).toContain('response.output_text.delta');
});
