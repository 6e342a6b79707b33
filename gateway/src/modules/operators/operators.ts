// Who may operate this gateway: people with an account here, each with a role. The operator token is none of them and
// may do everything; it makes the first. Roles are looked up with every request, so that taking one away counts at once.

import type { ActingOperator, OperatorRole } from '../../canonical/caller.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import * as store from './store.ts';

export type NamedOperator = store.OperatorRow;

export type Operators = Readonly<{
  /** Null for whoever is none. */
  find(userId: string): Promise<ActingOperator | null>;
  /** In the order in which they were appointed. */
  list(): Promise<readonly NamedOperator[]>;
  /** The person must exist. Whoever is an operator already gets the new role. */
  appoint(userId: string, role: OperatorRole, appointedBy: string | null): Promise<void>;
  /** False for whoever is none. */
  dismiss(userId: string): Promise<boolean>;
}>;

export const createOperators = ({ database, clock }: Readonly<{ database: Database; clock: Clock }>): Operators => ({
  find: (userId) => store.findOperator(database, userId),
  list: () => store.listOperators(database),
  appoint: (userId, role, appointedBy) =>
    store.putOperator(database, { userId, role, appointedBy, createdAt: new Date(clock.nowMs()) }),
  dismiss: (userId) => store.deleteOperator(database, userId),
});
