// The operator's list of people, by any part of a name, an address or an id, or by a key's hint.

import { type ListQuery, sortedList } from '../../../platform/db/sorted-list.ts';
import type { NanoUsd } from '../../../platform/money.ts';
import type { User } from './users.ts';

/** The balance includes charges that are not folded yet. */
export type ListedUser = User & Readonly<{ balanceNanoUsd: NanoUsd }>;

const BALANCE = '(coalesce(a.balance_nano_usd, 0) - coalesce(f.amount, 0))';

export type UserSearch = ListQuery<'created' | 'name' | 'email' | 'balance'>;

export const searchUsers = sortedList<ListedUser, UserSearch['sort']>({
  name: 'identity_directory',
  columns: `u.id, u.email, u.name, u.is_suspended AS "isSuspended", u.created_at AS "createdAt",
    ${BALANCE}::bigint AS "balanceNanoUsd"`,
  from: `users u LEFT JOIN accounts a ON a.id = u.id
    LEFT JOIN (SELECT account_id, sum(amount_nano_usd) AS amount FROM unfolded_charges GROUP BY account_id) f
      ON f.account_id = u.id`,
  id: 'u.id',
  matches: `u.email_normalized LIKE $1 OR lower(u.name) LIKE $1 OR lower(u.id) LIKE $1 OR u.id IN (
    SELECT k.user_id FROM api_keys k WHERE k.id = $2 OR k.suffix = $2
      OR (starts_with($2, k.prefix) AND right($2, length(k.suffix)) = k.suffix))`,
  sorts: { created: 'u.created_at', name: 'lower(u.name)', email: 'u.email_normalized', balance: BALANCE },
});
