// A provider searches as often as its model likes. What is held for it is no caller's to lower, and calls that cost many
// times what was held are left unpaid by whoever asks for them, where the balance does not reach.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, type Json, startHarness } from '../harness.ts';

const MODEL = 'acme/searcher';
const SEARCH_USD = 0.01;

let harness: Harness;

beforeAll(async () => {
  const pricing = { prompt: '1', completion: '2', web_search: String(SEARCH_USD) };
  harness = await startHarness({ models: { [MODEL]: { commands: 'tokens-10-5', entry: { pricing } } } });
  await harness.operate('PUT', '/admin/v1/config', {
    ...(await harness.operate('GET', '/admin/v1/config')),
    providers: { sim: { protocol: 'openai', base_url: `${harness.simulator.url}/v1`, api_key: 'k', responses: true } },
  });
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
});

/** The next answer has searched so often. */
function searchTimes(count: number): void {
  const searches = Array.from({ length: count }, (_, index) => ({
    type: 'web_search_call',
    id: `ws_${index}`,
    status: 'completed',
    action: { type: 'search', query: 'q' },
  }));
  const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a', annotations: [] }] };
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  harness.simulator.script((_request, reply) => {
    reply.writeHead(200, { 'content-type': 'application/json' });
    reply.end(JSON.stringify({ id: 'r', object: 'response', status: 'completed', output: [...searches, said], usage }));
    return undefined;
  });
}

function ask(key: string, tool: Json = {}) {
  const tools = [{ type: 'web_search', ...tool }];
  const body = { model: MODEL, input: 'Hi.', max_output_tokens: 50, tools };
  return harness.request('POST', '/v1/responses', { key, body });
}

const exposureOf = async (key: string): Promise<Json> =>
  (await harness.request('GET', '/v1/account/exposure', { key })).body;

test('BILL-02 five searches are held, also where the caller writes a lower limit', async () => {
  searchTimes(1);
  for (const tool of [{}, { max_uses: 1 }]) {
    const { key } = await harness.account(4.5 * SEARCH_USD);
    expect((await ask(key, tool)).status).toBe(402);
  }
  const { key } = await harness.account(6 * SEARCH_USD);
  expect((await ask(key)).status).toBe(200);
  const { key: poor } = await harness.account(10 * SEARCH_USD);
  expect((await ask(poor, { max_uses: 12 })).status).toBe(402);
});

test('ABT-1 BILL-16 what costs more than twice what was held, and nothing covers, counts as unpaid', async () => {
  const { key, userId } = await harness.account(8 * SEARCH_USD);
  searchTimes(30);
  const { status, body } = await ask(key);
  expect([status, body.usage]).toMatchObject([200, { cost: 8 * SEARCH_USD }]);
  // Ten searches are twice the hold.
  const { unpaidUsd, restricted } = await exposureOf(key);
  expect(unpaidUsd).toBeGreaterThan(19 * SEARCH_USD);
  expect(unpaidUsd).toBeLessThan(20 * SEARCH_USD);
  expect(restricted).toBe(false);
  const { users } = (await harness.operate('GET', '/admin/v1/absorbed')) as { users: Json[] };
  expect(users.find((user) => user.userId === userId)?.absorbedUsd).toBeCloseTo(22 * SEARCH_USD, 3);
});

test('ABT-1 BILL-16 what is within twice the hold does not count, nor does anything that was paid', async () => {
  const { key } = await harness.account(7 * SEARCH_USD);
  searchTimes(10);
  expect((await ask(key)).status).toBe(200);
  expect(await exposureOf(key)).toMatchObject({ unpaidUsd: 0 });
  const { key: rich } = await harness.account(5);
  searchTimes(60);
  expect((await ask(rich)).status).toBe(200);
  expect(await harness.spent(rich)).toBeCloseTo(60 * SEARCH_USD, 3);
  expect(await exposureOf(rich)).toMatchObject({ unpaidUsd: 0 });
});

test('ABT-1 whoever tops up and does it again is restricted', async () => {
  const { key, userId } = await harness.account(6 * SEARCH_USD);
  const statuses: number[] = [];
  while (statuses.length < 5 && !statuses.includes(429)) {
    searchTimes(100);
    statuses.push((await ask(key)).status);
    await harness.operate('POST', `/admin/v1/users/${userId}/credits`, { amountUsd: 6 * SEARCH_USD, note: 'more' });
  }
  expect(statuses).toEqual([200, 200, 429]);
});
