// The statements on operators.

import type { ActingOperator, OperatorRole } from '../../canonical/caller.ts';
import { firstRow, hasRow, type Queryable, sql } from '../../platform/db/database.ts';

export type OperatorRow = Readonly<{
  userId: string;
  email: string;
  name: string;
  role: OperatorRole;
  isSuspended: boolean;
  createdAt: Date;
}>;

const findStatement = sql(
  'operators_find',
  `SELECT o.user_id AS "userId", u.email, o.role FROM operators o JOIN users u ON u.id = o.user_id
   WHERE o.user_id = $1`,
);

const listStatement = sql(
  'operators_list',
  `SELECT o.user_id AS "userId", u.email, u.name, o.role, u.is_suspended AS "isSuspended", o.created_at AS "createdAt"
   FROM operators o JOIN users u ON u.id = o.user_id
   ORDER BY o.created_at, o.user_id`,
);

const putStatement = sql(
  'operators_put',
  `INSERT INTO operators (user_id, role, appointed_by, created_at) VALUES ($1, $2, $3, $4)
   ON CONFLICT (user_id) DO UPDATE SET role = excluded.role, appointed_by = excluded.appointed_by`,
);

const deleteStatement = sql('operators_delete', 'DELETE FROM operators WHERE user_id = $1 RETURNING user_id');

export const findOperator = (queryable: Queryable, userId: string): Promise<ActingOperator | null> =>
  firstRow(queryable, findStatement, [userId]);

export const listOperators = (queryable: Queryable): Promise<OperatorRow[]> =>
  queryable.query<OperatorRow>(listStatement, []);

type NewOperatorRow = Readonly<{
  userId: string;
  role: OperatorRole;
  appointedBy: string | null;
  createdAt: Date;
}>;

export async function putOperator(queryable: Queryable, row: NewOperatorRow): Promise<void> {
  await queryable.query(putStatement, [row.userId, row.role, row.appointedBy, row.createdAt]);
}

export const deleteOperator = (queryable: Queryable, userId: string): Promise<boolean> =>
  hasRow(queryable, deleteStatement, [userId]);
