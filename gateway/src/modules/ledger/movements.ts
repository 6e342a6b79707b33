// Money of all accounts together, beside what calls were charged.

import type { Queryable } from '../../platform/db/database.ts';
import { type BalancesRow, type MovementRow, readBalances, readMovements } from './store/movements.ts';

export type Movements = Readonly<{
  /** By kind and day; both days count. */
  ofDays(firstDay: string, lastDay: string): Promise<readonly MovementRow[]>;
  balances(): Promise<BalancesRow>;
}>;

export const createMovements = (database: Queryable): Movements => ({
  ofDays: (firstDay, lastDay) => readMovements(database, firstDay, lastDay),
  balances: () => readBalances(database),
});
