// What a session may use in all: requests, tokens and USD, exactly, however many calls come at once and wherever.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Gateways, startTwoGateways } from '../caps/two-gateways.ts';
import type { Answer, Harness, Json } from '../harness.ts';
import { DOLLAR_MODEL, SMALL_MODEL, tally } from './campus.ts';
import { type PlantedSession, plantSession } from './plant-session.ts';

let gateways: Gateways;

beforeAll(async () => {
  gateways = await startTwoGateways({
    models: {
      'acme/dollar': DOLLAR_MODEL,
      'acme/small': SMALL_MODEL,
      'acme/broken': { commands: 'status-500' },
    },
  });
});

afterEach(async () => {
  expect(await gateways.first.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  const held = await gateways.rows('select id from edu_sessions where tokens_held > 0');
  expect(held).toEqual([]);
});

afterAll(() => gateways.close());

type Class = Readonly<{ orgId: string; adminKey: string; session: PlantedSession }>;

async function openClass(config: Json): Promise<Class> {
  const { first, first: harness } = gateways;
  const { userId } = await harness.account(0);
  const orgId = String((await harness.operate('POST', '/admin/v1/orgs', { name: 'Uni', ownerUserId: userId })).id);
  await harness.operate('POST', `/admin/v1/orgs/${orgId}/credits`, { amountUsd: 1000, note: 'start' });
  const fields = { name: 'admin', keyType: 'management', userId };
  const adminKey = String((await harness.operate('POST', `/admin/v1/orgs/${orgId}/keys`, fields)).key);
  await configure({ orgId, adminKey }, config);
  return { orgId, adminKey, session: await plantSession(first.databaseUrl, orgId) };
}

async function configure({ orgId, adminKey }: Pick<Class, 'orgId' | 'adminKey'>, body: Json): Promise<void> {
  const path = `/api/orgs/${orgId}/edu/config`;
  const answer = await gateways.first.request('PATCH', path, { key: adminKey, body });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
}

const doors = (): readonly Harness[] => [gateways.first, gateways.second];

function callMany(count: number, { token }: PlantedSession, body: Json): Promise<Answer[]> {
  const two = doors();
  return Promise.all(
    Array.from({ length: count }, (_, index) => (two[index % 2] as Harness).chatWhenReady(token, body)),
  );
}

const refusalOf = ({ status, headers, body }: Answer): unknown[] => [
  status,
  (body.error as Json | undefined)?.code,
  headers.get('x-should-retry'),
];
const REFUSED = [429, 429, 'false'];

async function tokensUsed({ id }: PlantedSession): Promise<number> {
  const [row] = await gateways.rows('select tokens_used from edu_sessions where id = $1', [id]);
  return Number(row?.tokens_used);
}

test('EDU-11 of two hundred calls at once on two gateways exactly maxRequests are served', async () => {
  const { session } = await openClass({ maxRequests: 7 });
  const answers = await callMany(200, session, { model: 'acme/small' });
  expect(tally(answers)).toEqual({ 200: 7, 429: 193 });
  expect(answers.filter(({ status }) => status === 429).map(refusalOf)).toEqual(Array(193).fill(REFUSED));
  const messages = answers.flatMap(({ body }) => (body.error === undefined ? [] : [(body.error as Json).message]));
  expect(new Set(messages)).toEqual(new Set(['This session has used all of its requests.']));
});

test('EDU-11 of two hundred calls at once on two gateways exactly maxUsd is spent', async () => {
  const { orgId, session } = await openClass({ maxUsd: 5 });
  const answers = await callMany(200, session, { model: 'acme/dollar' });
  expect(tally(answers)).toEqual({ 200: 5, 429: 195 });
  expect(answers.filter(({ status }) => status === 429).map(refusalOf)).toEqual(Array(195).fill(REFUSED));
  const org = await gateways.first.operate('GET', `/admin/v1/orgs/${orgId}`);
  expect(org.balanceUsd).toBe(995);
});

test('EDU-11 of two hundred calls at once on two gateways none goes beyond maxTokens, and all of them can be used', async () => {
  const { session } = await openClass({ maxTokens: 500 });
  const body = { model: 'acme/small', max_tokens: 10 };
  const answers = await callMany(200, session, body);
  const served = answers.filter(({ status }) => status === 200).length;
  expect(Object.keys(tally(answers))).toEqual(['200', '429']);
  expect(served).toBeGreaterThan(0);
  await expect.poll(() => tokensUsed(session)).toBe(served * 20);
  expect(served * 20).toBeLessThanOrEqual(500);
  for (let left = 25 - served; left > 0; left -= 1) {
    expect((await gateways.first.chat(session.token, body)).status).toBe(200);
  }
  expect(await tokensUsed(session)).toBe(500);
  const refused = await gateways.second.chat(session.token, body);
  expect(refusalOf(refused)).toEqual(REFUSED);
  expect((refused.body.error as Json).message).toContain('tokens');
});

test('EDU-11 a quota smaller than what a call might use is used up by calls that come one after the other', async () => {
  const { session } = await openClass({ maxTokens: 50 });
  const statuses = [];
  for (let count = 0; count < 4; count += 1) {
    statuses.push((await (doors()[count % 2] as Harness).chat(session.token, { model: 'acme/small' })).status);
  }
  expect(statuses).toEqual([200, 200, 200, 429]);
  expect(await tokensUsed(session)).toBe(60);
});

test('EDU-11 streams count like whole answers', async () => {
  const { session } = await openClass({ maxTokens: 40, maxRequests: 10 });
  for (let count = 0; count < 2; count += 1) {
    const { status, isDone } = await gateways.first.stream(session.token, { model: 'acme/small' });
    expect([status, isDone]).toEqual([200, true]);
  }
  expect((await gateways.first.chat(session.token, { model: 'acme/small' })).status).toBe(429);
});

test('EDU-11 a call that nobody answered does not count', async () => {
  const { session } = await openClass({ maxRequests: 1 });
  const { first } = gateways;
  for (let count = 0; count < 3; count += 1) {
    expect((await first.chat(session.token, { model: 'acme/broken' })).status).toBe(502);
  }
  expect((await first.chat(session.token, { model: 'acme/small' })).status).toBe(200);
  expect((await first.chat(session.token, { model: 'acme/small' })).status).toBe(429);
});

test('EDU-11 a quota that is changed counts for sessions that are open, in every gateway', async () => {
  const own = await openClass({ maxRequests: 1 });
  const { first, second } = gateways;
  const call = async (door: Harness) => (await door.chat(own.session.token, { model: 'acme/dollar' })).status;
  expect([await call(first), await call(second)]).toEqual([200, 429]);
  await configure(own, { maxRequests: null });
  await expect.poll(() => call(second)).toBe(200);
  await configure(own, { maxUsd: 1 });
  await expect.poll(() => call(second)).toBe(429);
  expect(await call(first)).toBe(429);
});

test.each([
  [{ maxRequests: 3 }, 'This session has used all of its requests.'],
  [{ maxTokens: 60 }, 'This session has too few tokens left'],
])('EDU-11 a quota that is set later counts what a session has used before: %j', async (quota, words) => {
  const own = await openClass({});
  const { first } = gateways;
  const call = () => first.chat(own.session.token, { model: 'acme/small' });
  expect((await first.chat(own.session.token, { model: 'acme/broken' })).status).toBe(502);
  for (let count = 0; count < 3; count += 1) expect((await call()).status).toBe(200);
  await configure(own, quota);
  const refused = await call();
  expect([refused.status, (refused.body.error as Json).message]).toEqual([429, expect.stringContaining(words)]);
});

test('EDU-14 a session that one gateway revokes is over in the other', async () => {
  const { orgId, adminKey, session } = await openClass({});
  const { first, second } = gateways;
  const status = async () => (await second.chat(session.token, { model: 'acme/small' })).status;
  expect(await status()).toBe(200);
  const path = `/api/orgs/${orgId}/edu/sessions/${session.id}`;
  expect((await first.request('DELETE', path, { key: adminKey })).status).toBe(204);
  await expect.poll(status).toBe(401);
});
