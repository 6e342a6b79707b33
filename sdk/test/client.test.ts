// Our own SDK against a running gateway: its types equal the gateway's present description, and answers are as the
// types promise.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Harness, startHarness } from '../../gateway/test/harness.ts';
import { answerOf, createTollgate, statementEntries, type Tollgate, TollgateError } from '../src/client.ts';

const generate = fileURLToPath(new URL('../generate.mjs', import.meta.url));

let harness: Harness;
let operator: Tollgate;

beforeAll(async () => {
  harness = await startHarness();
  operator = createTollgate({ url: `${harness.url}/`, key: ADMIN_TOKEN });
});

afterAll(() => harness.close());

/** By an operator's program: a person with credit, and a management key for them. */
async function newCustomer(): Promise<{ userId: string; tollgate: Tollgate }> {
  const body = { email: `${crypto.randomUUID()}@example.test`, name: 'Ann' };
  const { id } = await answerOf(operator.POST('/admin/v1/users', { body }));
  const params = { path: { id } };
  await answerOf(operator.POST('/admin/v1/users/{id}/credits', { params, body: { amountUsd: 10, note: 'welcome' } }));
  const management = { name: 'automation', keyType: 'management' } as const;
  const { key } = await answerOf(operator.POST('/admin/v1/users/{id}/keys', { params, body: management }));
  return { userId: id, tollgate: createTollgate({ url: harness.url, key }) };
}

test('its types are made from what the gateway says of itself', async () => {
  await promisify(execFile)(process.execPath, [generate, '--check']);
});

test('a key is made, limited, used, read about and deleted', async () => {
  const { tollgate } = await newCustomer();
  const made = await answerOf(tollgate.POST('/v1/keys', { body: { name: 'ci', limit: 5 } }));
  expect((await harness.chat(made.key, { model: 'openai/test' })).status).toBe(200);
  const { keys } = await answerOf(tollgate.GET('/v1/keys'));
  expect(keys.find(({ id }) => id === made.id)).toMatchObject({ name: 'ci', enabled: true });
  const own = createTollgate({ url: harness.url, key: made.key });
  const usage = await answerOf(own.GET('/v1/usage', { params: { query: { period: 'month' } } }));
  expect(JSON.stringify(usage)).toContain('openai/test');
  const params = { path: { id: made.id } };
  await answerOf(tollgate.PATCH('/v1/keys/{id}', { params, body: { spendLimitUsd: 7 } }));
  await answerOf(tollgate.DELETE('/v1/keys/{id}', { params }));
  expect((await harness.chat(made.key, { model: 'openai/test' })).status).toBe(401);
});

test('an organization is founded with a team, and the statement is read to its end', async () => {
  const { userId, tollgate } = await newCustomer();
  const org = await answerOf(operator.POST('/admin/v1/orgs', { body: { name: 'Acme', ownerUserId: userId } }));
  const params = { path: { orgId: org.id } };
  await answerOf(tollgate.POST('/v1/orgs/{orgId}/teams', { params, body: { name: 'Blue', monthlyBudget: 3 } }));
  const { teams } = await answerOf(tollgate.GET('/v1/orgs/{orgId}/teams', { params }));
  expect(teams).toMatchObject([{ name: 'Blue', monthlyBudget: 3 }]);

  for (const [index, amountUsd] of [1, 2, 3].entries()) {
    const body = { amountUsd, reason: 'a correction', reference: `sdk-${index}` };
    await answerOf(operator.POST('/admin/v1/users/{id}/adjustments', { params: { path: { id: userId } }, body }));
  }
  const amounts: number[] = [];
  for await (const { amountUsd } of statementEntries(tollgate, { limit: 2 })) amounts.push(amountUsd);
  expect(amounts).toEqual([3, 2, 1, 10]);
});

test('the reading of a statement ends with the signal that it was given', async () => {
  const pages = ['second', 'third', null];
  const fetch = async (request: Request) => {
    request.signal.throwIfAborted();
    return Response.json({ entries: [{ amountUsd: 1 }], next: pages.shift() });
  };
  const tollgate = createTollgate({ url: 'https://gateway.example', key: 'sk-tg-1', fetch });
  const reading = new AbortController();
  const entries = statementEntries(tollgate, {}, { signal: reading.signal });
  expect((await entries.next()).value).toEqual({ amountUsd: 1 });
  reading.abort();
  await expect(entries.next()).rejects.toThrow('aborted');
  expect(pages).toEqual(['third', null]);
});

test('what is refused is an error with its status, its code and the request', async () => {
  const { tollgate } = await newCustomer();
  const refused = answerOf(tollgate.GET('/v1/orgs/{orgId}', { params: { path: { orgId: 'org-none' } } }));
  await expect(refused).rejects.toBeInstanceOf(TollgateError);
  await expect(refused).rejects.toMatchObject({ status: 404, requestId: expect.any(String) });
  const nobody = createTollgate({ url: harness.url, key: 'sk-tg-wrong' });
  await expect(answerOf(nobody.GET('/v1/keys'))).rejects.toMatchObject({ status: 401 });
});

test.each(['{"error":"Bad Gateway"}', '{"error":{}}', '{"error":null}', 'null', '<html>Bad Gateway</html>', ''])(
  'what a proxy refuses in its own words has its status as its code: %s',
  async (text) => {
    const fetch = async () => new Response(text, { status: 502 });
    const behindProxy = createTollgate({ url: 'https://gateway.example', key: 'sk-tg-1', fetch });
    const refused = answerOf(behindProxy.GET('/v1/keys'));
    await expect(refused).rejects.toMatchObject({
      status: 502,
      code: 502,
      message: 'It answered 502.',
      requestId: null,
    });
  },
);
