// A person in two accounts, their own and an organization's: usage in one does not count in the other, in either
// direction, through the front door.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, startHarness } from '../harness.ts';

const FREE = 'openai/gift';
const PER_MINUTE = 12;
/** Three times the model's quota, for users with credit. */
const FREE_A_DAY = [200, 200, 200, 429];

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness({
    document: {
      limits: {
        ...{ free_requests_per_minute: PER_MINUTE, paid_requests_per_minute: PER_MINUTE },
        // All of them call from one network here.
        free_users_per_network: 1_000,
      },
    },
    models: { [FREE]: { entry: { free: { requests_per_minute: 100, requests_per_day: 1 } } } },
  });
});

afterAll(() => harness.close());

/** The keys of one person: their own, and one of an organization that they belong to. */
async function personWithTwo(): Promise<[own: string, orgs: string]> {
  const { userId, key } = await harness.account(5);
  const org = await harness.operate('POST', '/admin/v1/orgs', { name: crypto.randomUUID(), ownerUserId: userId });
  await harness.operate('POST', `/admin/v1/orgs/${org.id}/credits`, { amountUsd: 5, note: 'test' });
  const made = await harness.operate('POST', `/admin/v1/orgs/${org.id}/keys`, { name: 'test', userId });
  return [key, String(made.key)];
}

const freeCalls = async (key: string, count: number): Promise<number[]> => {
  const statuses: number[] = [];
  for (let call = 0; call < count; call += 1) {
    statuses.push((await harness.chat(key, { model: FREE }, { 'X-Free-Fallback': 'false' })).status);
  }
  return statuses;
};

test.each([
  ['the own account', 'the organization', false],
  ['the organization', 'the own account', true],
])('LIM-03 LIM-06 rates and penalties of %s do not follow into %s', async (_from, _to, isReversed) => {
  const keys = await personWithTwo();
  const [spent, kept] = isReversed ? [keys[1], keys[0]] : keys;
  // Enough calls to be refused often, and so to be blocked for minutes, in whichever minute the calls fall.
  const statuses: number[] = [];
  for (let call = 0; call < 3 * PER_MINUTE; call += 1) {
    statuses.push((await harness.request('GET', '/v1/key', { key: spent })).status);
  }
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(5);
  expect(statuses.at(-1)).toBe(429);
  const answers = await Promise.all(
    Array.from({ length: PER_MINUTE / 2 }, () => harness.request('GET', '/v1/key', { key: kept })),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: PER_MINUTE / 2 }, () => 200));
});

test.each([
  ['the own account', 'the organization', false],
  ['the organization', 'the own account', true],
])('FREE-02 what %s has used of a free model is not missing in %s', async (_from, _to, isReversed) => {
  const keys = await personWithTwo();
  const [spent, kept] = isReversed ? [keys[1], keys[0]] : keys;
  expect(await freeCalls(spent, 4)).toEqual(FREE_A_DAY);
  expect(await freeCalls(kept, 4)).toEqual(FREE_A_DAY);
});
