// Keys that were seen in public. They are found by the hash of their secret, so only somebody who had the secret can
// report one.

import { firstRow, type Queryable, sql } from '../../../platform/db/database.ts';
import { KEY_COLUMNS, type Key } from './keys.ts';

export type SeenKeyRow = Key & Readonly<{ hash: Buffer; holder_email: string; is_told_elsewhere: boolean }>;

// Locked in one order, so that two reports of the same keys wait for each other without a deadlock. A holder who gets
// notices about leaks gets no mail besides.
const lockSeenStatement = sql(
  'identity_lock_seen_keys',
  `SELECT ${KEY_COLUMNS}, k.hash, u.email AS holder_email,
     k.account_id = k.user_id AND EXISTS (
       SELECT FROM notice_addresses a WHERE a.owner_kind = 'user' AND a.owner_id = k.user_id AND a.is_enabled
         AND 'key.leaked' = ANY (a.kinds)) AS is_told_elsewhere
   FROM api_keys k JOIN users u ON u.id = k.user_id
   WHERE k.hash = ANY ($1::bytea[]) AND k.revoked_at IS NULL
   ORDER BY k.id FOR UPDATE OF k`,
);

const markStatement = sql(
  'identity_mark_leaked_key',
  `UPDATE api_keys AS k SET leaked_at = $3, leak_place = $4, is_enabled = k.is_enabled AND NOT k.disable_when_leaked
   WHERE k.account_id = $1 AND k.id = $2
   RETURNING ${KEY_COLUMNS}`,
);

export const lockSeenKeys = (queryable: Queryable, hashes: readonly Buffer[]): Promise<SeenKeyRow[]> =>
  queryable.query<SeenKeyRow>(lockSeenStatement, [hashes]);

export const markLeaked = (
  queryable: Queryable,
  { accountId, id }: Key,
  { at, place }: Readonly<{ at: Date; place: string | null }>,
): Promise<Key | null> => firstRow(queryable, markStatement, [accountId, id, at, place]);
