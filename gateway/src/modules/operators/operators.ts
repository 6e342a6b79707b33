// Who may operate this gateway: people with an account here, each with a role. The operator token is not a person and
// may do everything; it appoints the first operator. Roles are read with every request, so that removing one applies at
// once.

import type { ActingOperator, OperatorRole } from '../../canonical/caller.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import * as store from './store.ts';

export type NamedOperator = store.OperatorRow;

export type Operators = Readonly<{
  /** Null for a person who is not an operator. */
  find(userId: string): Promise<ActingOperator | null>;
  /** In the order in which they were appointed. */
  list(): Promise<readonly NamedOperator[]>;
  /** The person must exist. An operator gets the new role. */
  appoint(userId: string, role: OperatorRole, appointedBy: string | null): Promise<void>;
  /** False for a person who is not an operator. */
  dismiss(userId: string): Promise<boolean>;
}>;

export const createOperators = ({ database, clock }: Readonly<{ database: Database; clock: Clock }>): Operators => ({
  find: (userId) => store.findOperator(database, userId),
  list: () => store.listOperators(database),
  appoint: (userId, role, appointedBy) =>
    store.putOperator(database, { userId, role, appointedBy, createdAt: new Date(clock.nowMs()) }),
  dismiss: (userId) => store.deleteOperator(database, userId),
});
