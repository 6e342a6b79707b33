// Later processes know what was used of the day: another process, or the same one after a restart.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { SetClock } from '../caps/set-clock.ts';
import { type Gateways, startTwoGateways } from '../caps/two-gateways.ts';
import { freeModel, outcomeOf, START } from './free-bed.ts';

const clock = new SetClock(START);

let gateways: Gateways;

beforeAll(async () => {
  const models = { 'acme/day': freeModel(1000, 5), 'acme/other': freeModel(1000, 5) };
  gateways = await startTwoGateways({ models, start: { clock } });
});

afterAll(() => gateways.close());

test('FREE-02 FREE-10 the day counts on, the day before does not, and is forgotten', async () => {
  const { first, second } = gateways;
  const { key, userId } = await first.account(0);
  await gateways.rows(
    "insert into free_usage values ($1, '2026-03-09', 'acme/day', 5), ($1, '2026-03-08', 'acme/day', 5)",
    [userId],
  );
  for (let call = 0; call < 3; call += 1) expect(outcomeOf(await first.chat(key, { model: 'acme/day' }))).toBe('free');
  expect(outcomeOf(await first.stream(key, { model: 'acme/other' }))).toBeDefined();
  const later = [];
  for (let call = 0; call < 3; call += 1) later.push(outcomeOf(await second.chat(key, { model: 'acme/day' })));
  expect(later).toEqual(['free', 'free', '429']);
  await expect
    .poll(() =>
      gateways.rows('select day::text, model_id, units from free_usage where user_id = $1 order by 1, 2', [userId]),
    )
    .toEqual([
      { day: '2026-03-09', model_id: 'acme/day', units: '5' },
      { day: '2026-03-10', model_id: 'acme/day', units: '5' },
      { day: '2026-03-10', model_id: 'acme/other', units: '1' },
    ]);
});
