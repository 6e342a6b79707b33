// Failures that a caller can bring about at will, such as a call of a tool that the model wrote wrongly: the call may go
// on elsewhere, but the route is not closed for it.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';
import { type Providers, routesTo, startProviders } from './providers.ts';

/** More failures in a row than a route may have. */
const CALLS = 8;
const ENDS = ['malformed_function_call', 'timeout'];

let server: Server;
let providers: Providers;
let end = 'stop';
let asked = 0;
let counts: Json | null = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };

const choiceOf = (isStream: boolean): Json => {
  const said = { role: 'assistant', content: end === 'stop' ? 'Hello' : null };
  return { index: 0, [isStream ? 'delta' : 'message']: said, finish_reason: end };
};

beforeAll(async () => {
  server = createServer(async (request, response) => {
    asked += 1;
    const { stream: isStream } = JSON.parse((await request.toArray()).join('')) as { stream?: boolean };
    const answer = { id: 'x', created: 1, model: 'm', choices: [choiceOf(isStream === true)], usage: counts };
    const text = JSON.stringify(answer);
    response.setHeader('content-type', isStream === true ? 'text/event-stream' : 'application/json');
    response.end(isStream === true ? `data: ${text}\n\ndata: [DONE]\n\n` : text);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  providers = await startProviders({
    providers: { odd: { base_url: baseUrl }, even: {} },
    models: {
      'acme/odd': { routes: routesTo({ odd: '1' }) },
      'acme/both': { routes: routesTo({ odd: '1', even: '2' }) },
    },
  });
});

afterAll(async () => {
  await providers.close();
  server.close();
});

/** What calls that nobody paid for have cost, in all. */
async function absorbedUsd(): Promise<number> {
  const { users } = (await providers.harness.operate('GET', '/admin/v1/absorbed')) as {
    users: { reasons: { absorbedUsd: number }[] }[];
  };
  return users.flatMap(({ reasons }) => reasons).reduce((sum, reason) => sum + reason.absorbedUsd, 0);
}

test.each([false, true])(
  'BILL-05 what the provider did for an answer that ends so is free for the caller and counted, streamed: %s',
  async (stream) => {
    [end] = ENDS as [string];
    const before = await absorbedUsd();
    const spent = await providers.harness.spent(providers.key);
    const messages = [{ role: 'user', content: 'word '.repeat(4_000) }];
    expect((await providers.chat({ model: 'acme/odd', stream, messages })).status).toBe(502);
    await expect.poll(absorbedUsd, { timeout: PATIENCE_MS }).toBeGreaterThan(before);
    expect(await providers.harness.spent(providers.key)).toBe(spent);
  },
);

test.each([false, true])(
  'BILL-05 each attempt that ended so counts, by what the provider states, or by its unseen answer, streamed: %s',
  async (stream) => {
    [end] = ENDS as [string];
    const lostBy = async (stated: Json | null): Promise<number> => {
      counts = stated;
      const [before, askedBefore] = [await absorbedUsd(), asked];
      expect((await providers.chat({ model: 'acme/odd', stream, max_tokens: 2_000 })).status).toBe(502);
      expect(asked - askedBefore).toBe(2);
      await expect.poll(absorbedUsd, { timeout: PATIENCE_MS }).toBeGreaterThan(before);
      return (await absorbedUsd()) - before;
    };
    // At one dollar for a million tokens.
    expect(await lostBy({ prompt_tokens: 9, completion_tokens: 500, total_tokens: 509 })).toBeCloseTo(2 * 0.000509, 9);
    expect(await lostBy(null)).toBeGreaterThan((2 * 1_024) / 1e6);
    counts = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };
  },
);

test.each(ENDS)(
  'ROUTE-12 an answer that ends with %s alone closes no route, and another may serve the call',
  async (word) => {
    end = word;
    const statuses = new Set<number>();
    const before = asked;
    for (let call = 0; call < CALLS; call += 1) statuses.add((await providers.chat({ model: 'acme/odd' })).status);
    expect([...statuses]).toEqual([502]);
    expect(asked - before).toBeGreaterThanOrEqual(CALLS);
    const { body } = await providers.chat({ model: 'acme/both', provider: { order: ['odd', 'even'] } });
    const { attempts } = await providers.generation(body.id);
    expect(attempts).toMatchObject([
      { provider: 'odd', outcome: 'unavailable' },
      { provider: 'even', outcome: 'answered' },
    ]);
    end = 'stop';
    expect((await providers.chat({ model: 'acme/odd' })).status).toBe(200);
  },
);

test('ROUTE-12 nor does a stream that ends so', async () => {
  end = 'malformed_function_call';
  const before = asked;
  for (let call = 0; call < CALLS; call += 1) {
    const { status, body } = await providers.stream({ model: 'acme/odd' });
    expect([status, body.error]).toMatchObject([502, { code: 'upstream_unavailable' }]);
  }
  expect(asked - before).toBeGreaterThanOrEqual(CALLS);
  end = 'stop';
  expect((await providers.chat({ model: 'acme/odd' })).status).toBe(200);
});

test('ROUTE-12 an error that the provider gives no other word for counts as its own', async () => {
  end = 'error';
  for (let call = 0; call < CALLS; call += 1) await providers.chat({ model: 'acme/odd' });
  end = 'stop';
  expect((await providers.chat({ model: 'acme/odd' })).status).toBe(503);
  await providers.pass(3_600_000);
});
