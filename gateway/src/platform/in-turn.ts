// Works of one round that do not need each other. One that fails, today or at every round from now on, keeps none of
// the others from being done.

import { isConnectionFailure } from './db/connection-failure.ts';

/** One after the other; then throws the first failure. Without a database all would fail, so that ends it at once. */
export async function inTurn(works: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const work of works) {
    try {
      await work();
    } catch (error) {
      if (isConnectionFailure(error)) throw error;
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
