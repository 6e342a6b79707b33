// Money through the front door, on two gateways at once: 200 calls at once spend exactly what a balance, a credit line,
// a key, a member, a team or a breaker allows, and not one call more, on every surface.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { CONVERSATIONS } from '../behaviour/crash-surfaces.ts';
import type { Answer, Harness } from '../harness.ts';
import { codeOf, FrontDoors, START } from './front-doors.ts';

let doors: FrontDoors;

beforeAll(async () => {
  doors = await FrontDoors.open();
});

beforeEach(() => doors.clock.set(START));

afterEach(async () => {
  expect(await doors.first.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
});

afterAll(async () => {
  await doors.close();
});

/** Every surface in turn, whole and streamed. */
function requestOf(index: number, model: string): { path: string; body: object } {
  const { path, body } = CONVERSATIONS[index % CONVERSATIONS.length]!;
  return { path, body: { model, ...body, stream: (index / CONVERSATIONS.length) % 2 >= 1 } };
}

/** Unavailable, as Messages says it too, and a request that took too long to arrive. */
const COME_BACK = [503, 529, 408];

/**
 * As a client does when it is asked to come back: on a busy machine the database may answer too late for a decision.
 */
async function insist(gateway: Harness, path: string, options: { key: string; body: object }): Promise<Answer> {
  for (;;) {
    const answer = await gateway.request('POST', path, options);
    if (!COME_BACK.includes(answer.status)) return answer;
  }
}

/** 200 calls at once, spread over so many gateways; how many were served, and the codes of the rest. */
async function burst(
  gateways: readonly Harness[],
  key: string,
  model: string,
): Promise<{ served: number; codes: Set<unknown> }> {
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => {
      const { path, body } = requestOf(index, model);
      return insist(gateways[index % gateways.length]!, path, { key, body });
    }),
  );
  const refused = answers.filter(({ status }) => status !== 200);
  return { served: answers.length - refused.length, codes: new Set(refused.map(codeOf)) };
}

test.each([1, 2])('BILL-16 RACE-1 a balance for ten calls is spent by ten: %i gateways', async (count) => {
  const { key } = await doors.first.account(1);
  expect(await burst(doors.take(count), key, 'openai/dime')).toEqual({
    served: 10,
    codes: new Set(['insufficient_credits']),
  });
  expect(await doors.first.spent(key)).toBe(1);
});

test.each([1, 2])('BILL-17 RACE-1 a credit line for ten calls is spent by ten: %i gateways', async (count) => {
  const { userId } = await doors.first.account(0);
  const terms = { billingPlan: 'monthly', creditLineUsd: 1 };
  const org = await doors.first.operate('POST', '/admin/v1/orgs', { name: 'monthly', ownerUserId: userId, ...terms });
  const { key } = await doors.first.operate('POST', `/admin/v1/orgs/${org.id}/keys`, { name: 'test', userId });
  expect(await burst(doors.take(count), String(key), 'openai/dime')).toEqual({
    served: 10,
    codes: new Set(['credit_limit_exceeded']),
  });
  expect(await doors.first.spent(String(key))).toBe(1);
});

test.each([1, 2])('KEY-16 RACE-2 a key limit for ten calls is spent by ten: %i gateways', async (count) => {
  const { key, keyId } = await doors.first.account(100);
  await doors.limitKey(keyId, '1', 'daily');
  expect(await burst(doors.take(count), key, 'openai/dime')).toEqual({
    served: 10,
    codes: new Set(['spend_limit_exceeded']),
  });
  expect(await doors.first.spent(key)).toBe(1);
});

test.each([1, 2])('BILL-15 ERR-16 RACE-2 a member budget for ten calls is spent by ten: %i gateways', async (count) => {
  const { key } = await doors.orgKey({ member: '1' });
  expect(await burst(doors.take(count), key, 'openai/dime')).toEqual({
    served: 10,
    codes: new Set(['budget_cap_reached']),
  });
  expect(await doors.first.spent(key)).toBe(1);
});

test.each([1, 2])('BILL-15 RACE-2 a team budget for ten calls is spent by ten: %i gateways', async (count) => {
  const { key } = await doors.orgKey({ team: '1' });
  expect(await burst(doors.take(count), key, 'openai/dime')).toEqual({
    served: 10,
    codes: new Set(['budget_cap_reached']),
  });
  expect(await doors.first.spent(key)).toBe(1);
});

test.each([1, 2])('BRK-11 RACE-2 a personal breaker lets ten calls through: %i gateways', async (count) => {
  const { key } = await doors.first.account(100);
  await doors.first.request('PATCH', '/v1/account/circuit-breaker', {
    key,
    body: { cbEnabled: true, cbHourlyUsd: 1 },
  });
  expect(await burst(doors.take(count), key, 'openai/dime')).toEqual({ served: 10, codes: new Set([429]) });
  expect(await doors.first.spent(key)).toBe(1);
});
