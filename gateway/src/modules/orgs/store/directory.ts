// The operator's list of organizations, by any part of a name or an id, or by a key's hint.

import { type ListQuery, sortedList } from '../../../platform/db/sorted-list.ts';

export type DirectoryRow = Readonly<{
  id: string;
  name: string;
  isSuspended: boolean;
  createdAt: Date;
  balanceNanoUsd: bigint;
}>;

const BALANCE = '(coalesce(a.balance_nano_usd, 0) - coalesce(f.amount, 0))';

export type DirectorySearch = ListQuery<'created' | 'name' | 'balance'>;

export const searchOrganizations = sortedList<DirectoryRow, DirectorySearch['sort']>({
  name: 'orgs_directory',
  columns: `o.id, o.name, o.is_suspended AS "isSuspended", o.created_at AS "createdAt",
    ${BALANCE}::bigint AS "balanceNanoUsd"`,
  from: `organizations o LEFT JOIN accounts a ON a.id = o.id
    LEFT JOIN (SELECT account_id, sum(amount_nano_usd) AS amount FROM unfolded_charges GROUP BY account_id) f
      ON f.account_id = o.id`,
  id: 'o.id',
  matches: `lower(o.name) LIKE $1 OR lower(o.id) LIKE $1 OR o.id IN (
    SELECT k.account_id FROM api_keys k WHERE k.id = $2 OR k.suffix = $2
      OR (starts_with($2, k.prefix) AND right($2, length(k.suffix)) = k.suffix))`,
  sorts: { created: 'o.created_at', name: 'lower(o.name)', balance: BALANCE },
});
