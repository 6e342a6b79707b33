// A provider may say when to come back as a date; it is as good as a number of seconds.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, startHarness } from '../harness.ts';

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness({ models: { 'openai/limited': { commands: 'tokens-1-1' } } });
});

afterAll(() => harness.close());

test('ERR-57 ROUTE-12 a date in Retry-After is relayed as seconds, and nobody asks before it', async () => {
  const { key } = await harness.account();
  harness.simulator.script(
    (_, response) => {
      const headers = { 'retry-after': new Date(Date.now() + 40_000).toUTCString(), date: new Date().toUTCString() };
      response.writeHead(429, { 'content-type': 'application/json', ...headers });
      response.end('{"error":{"message":"slow down","type":"rate_limit_error"}}');
      return undefined;
    },
    { times: 1 },
  );
  const limited = await harness.chat(key, { model: 'openai/limited' });
  const waitSeconds = Number(limited.headers.get('retry-after'));
  expect([limited.status, waitSeconds >= 39 && waitSeconds <= 41]).toEqual([429, true]);
  const asked = harness.simulator.requests.length;
  const waiting = await harness.chat(key, { model: 'openai/limited' });
  expect(waiting.status).toBe(429);
  expect(Number(waiting.headers.get('retry-after'))).toBeGreaterThan(35);
  expect(harness.simulator.requests.length).toBe(asked);
});
