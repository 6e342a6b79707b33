// An operator changes the tables while calls are coming in: the next call sees the change, whichever process it
// reaches.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gateways, startTwoGateways } from '../caps/two-gateways.ts';
import type { Answer, Harness, Json } from '../harness.ts';
import { autoCatalog, CLEAR_REQUESTS, paidModel } from './auto-tables.ts';

const TOGGLES = 12;
const tier = 'coding';
const path = `/admin/v1/auto-router/paid/${tier}`;

let gateways: Gateways;
let key: string;

beforeAll(async () => {
  gateways = await startTwoGateways(autoCatalog());
  key = (await gateways.first.account()).key;
  // Both know the key before the clock of the test starts.
  for (const gateway of [gateways.first, gateways.second]) expect((await ask(gateway)).status).toBe(200);
});

afterAll(() => gateways.close());

const ask = (gateway: Harness): Promise<Answer> =>
  gateway.chat(key, { model: 'auto', messages: [{ role: 'user', content: CLEAR_REQUESTS[tier] }] });

test('AUTO-05 AUTO-06 a disabled tier is refused at the very next call, on the other process too', async () => {
  const { first, second } = gateways;
  for (let toggle = 0; toggle < TOGGLES; toggle += 1) {
    const enabled = toggle % 2 === 1;
    const [changed, other] = toggle % 3 === 0 ? [second, first] : [first, second];
    await changed.operate('PATCH', path, { enabled });
    const answers = await Promise.all([ask(other), ask(changed)]);
    expect(answers.map(({ status }) => status)).toEqual(enabled ? [200, 200] : [503, 503]);
  }
});

test('AUTO-06 models and their order change without a restart', async () => {
  const { first, second } = gateways;
  await first.operate('PATCH', path, { enabled: true, models: [paidModel('email'), paidModel('data')] });
  expect((await ask(second)).body.model).toBe(paidModel('email'));
  await second.operate('PATCH', path, { models: [paidModel('data'), paidModel('email')] });
  expect((await ask(first)).body.model).toBe(paidModel('data'));
});

test('AUTO-06 a change that is refused changes nothing', async () => {
  const { first, second } = gateways;
  await first.operate('PATCH', path, { enabled: true, models: [paidModel(tier)] });
  const headers = { Authorization: 'Bearer test-operator-token' };
  const refused = await first.request('PATCH', path, { headers, body: { models: ['acme/nosuch'] } });
  expect(refused.status).toBe(400);
  expect((refused.body.error as Json).message).toContain('no model named "acme/nosuch"');
  expect((await ask(second)).body.model).toBe(paidModel(tier));
});
