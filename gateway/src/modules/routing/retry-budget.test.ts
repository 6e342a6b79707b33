// Retries stay a fraction of the calls that are under way, and a quiet gateway may still retry.

import { expect, test } from 'vitest';
import { RetryBudget } from './retry-budget.ts';

function takeAll(budget: RetryBudget): (() => void)[] {
  const taken: (() => void)[] = [];
  for (let ended = budget.take(); ended !== null; ended = budget.take()) taken.push(ended);
  return taken;
}

test('ROUTE-11 a fifth of the active calls may retry, and three always', () => {
  const budget = new RetryBudget();
  expect(takeAll(budget)).toHaveLength(3);
  const leave = Array.from({ length: 100 }, () => budget.enter());
  const more = takeAll(budget);
  expect(more).toHaveLength(17);
  for (const end of more) end();
  for (const left of leave) left();
  expect(budget.take()).toBeNull();
});
