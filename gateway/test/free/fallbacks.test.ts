// Free calls that their first model cannot serve: what is tried next, and who pays for it.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../harness.ts';
import { FreeBed, freeModel, outcomeOf, PAID_USD, paidModel } from './free-bed.ts';

let bed: FreeBed;

beforeAll(async () => {
  bed = await FreeBed.open({
    models: {
      'acme/broken': freeModel(2, 100, 'html'),
      'acme/broken-too': freeModel(2, 100, 'status-501'),
      'acme/first': freeModel(1, 100),
      'acme/second': freeModel(1, 100),
      'acme/small': { ...freeModel(9, 3), entry: { ...freeModel(9, 3).entry, context_length: 8_000 } },
      'acme/small-too': { ...freeModel(9, 3), entry: { ...freeModel(9, 3).entry, context_length: 8_000 } },
      'acme/paid': paidModel,
      'acme/dear': { commands: 'tokens-100-20', entry: { pricing: { prompt: '1000000', completion: '1000000' } } },
    },
  });
});

afterEach(async () => {
  expect(await bed.harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
});

afterAll(() => bed.close());

const call = (key: string, model: string, models: string[], headers = {}): Promise<Answer> =>
  bed.chat(key, model, headers, { models });

const unitsOf = async (userId: string): Promise<Record<string, string>> => {
  const rows = await bed.rows(
    'select model_id, sum(units) as units from free_usage_now where user_id = $1 group by 1',
    [userId],
  );
  return Object.fromEntries(rows.map(({ model_id, units }) => [model_id, units]));
};

test('ROUTE-09 FREE-01 the next free model takes of its own quota, and the first gets its units back', async () => {
  const { key, userId } = await bed.harness.account(0);
  const answer = await call(key, 'acme/broken', ['acme/first']);
  expect([outcomeOf(answer), answer.body.model]).toEqual(['free', 'acme/first']);
  expect(await unitsOf(userId)).toEqual({ 'acme/first': '1' });
  expect((await bed.record(key, answer)).is_failover).toBe(true);
  // The quota of the second model is used up now, and the account has no money.
  expect((await call(key, 'acme/broken', ['acme/first'])).status).toBe(502);
  expect(await unitsOf(userId)).toEqual({ 'acme/first': '1' });
});

test('ROUTE-09 FREE-05 a fallback beyond its quota, or without one, is paid for by whoever can', async () => {
  const { key } = await bed.harness.account(5);
  const outcomes = [];
  for (const fallback of ['acme/second', 'acme/second', 'acme/paid']) {
    const answer = await call(key, 'acme/broken', [fallback]);
    outcomes.push(`${answer.body.model} ${outcomeOf(answer)}`);
  }
  expect(outcomes).toEqual(['acme/second free', 'acme/second paid rpm', 'acme/paid paid']);
  expect(await bed.harness.spent(key)).toBeCloseTo(2 * PAID_USD, 9);
});

test('FREE-06 FREE-08 whoever cannot, or will not, pay has only what is free', async () => {
  const [poor, unwilling] = [await bed.harness.account(0), await bed.harness.account(5)];
  expect((await call(poor.key, 'acme/first', ['acme/dear'])).status).toBe(200);
  expect((await call(poor.key, 'acme/broken-too', ['acme/paid'])).status).toBeGreaterThanOrEqual(500);
  const header = { 'X-Free-Fallback': 'false' };
  expect(outcomeOf(await call(unwilling.key, 'acme/second', ['acme/first'], header))).toBe('free');
  expect((await call(unwilling.key, 'acme/second', ['acme/first'], header)).status).toBe(429);
  expect(await bed.harness.spent(unwilling.key)).toBe(0);
});

test('BILL-02 a free call with a dear fallback is not refused for what the fallback would cost', async () => {
  const { key } = await bed.harness.account('0.01');
  expect(outcomeOf(await call(key, 'acme/first', ['acme/dear']))).toBe('free');
  expect((await bed.chat(key, 'acme/dear')).status).toBe(402);
});

test('FREE-04 ROUTE-25 a long conversation takes as many units as the free models get of it', async () => {
  const { key, userId } = await bed.harness.account(0);
  const messages = Array.from({ length: 41 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: 'word '.repeat(1_000),
  }));
  const long = (model: string, models: string[]): Promise<Answer> => bed.chat(key, model, {}, { models, messages });
  expect(outcomeOf(await long('acme/small', ['acme/small-too']))).toBe('free');
  expect(await unitsOf(userId)).toEqual({ 'acme/small': '1' });
  expect(outcomeOf(await long('acme/small-too', ['acme/first']))).toBe('429');
});
