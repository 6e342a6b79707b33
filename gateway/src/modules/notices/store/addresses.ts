// The addresses of notices. Every statement but that of deliveries names the owner.

import type { NoticeChannel, NoticeOwnerKind } from '../../../contract/notices.ts';
import { firstRow, hasRow, type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';
import type { NoticeOwner } from '../owner.ts';

export type AddressRow = Readonly<{
  id: string;
  channel: NoticeChannel;
  shown: string;
  kinds: readonly string[];
  lowBalanceNanoUsd: NanoUsd | null;
  isEnabled: boolean;
  createdAt: Date;
}>;

type NewAddressRow = AddressRow &
  Readonly<{ target: string | null; recipientId: string | null; secret: string | null }>;

const COLUMNS = `id, channel, shown, kinds, low_balance_nano_usd AS "lowBalanceNanoUsd", is_enabled AS "isEnabled",
  created_at AS "createdAt"`;

const listStatement = sql(
  'notice_addresses_list',
  `SELECT ${COLUMNS} FROM notice_addresses WHERE owner_kind = $1 AND owner_id = $2 ORDER BY created_at, id`,
);

const FIND = `SELECT ${COLUMNS} FROM notice_addresses WHERE owner_kind = $1 AND owner_id = $2 AND id = $3`;
const findStatement = sql('notice_addresses_find', FIND);
const lockStatement = sql('notice_addresses_lock', `${FIND} FOR UPDATE`);

// Two addresses that are made at the same time may both pass the bound, which is accepted.
const insertStatement = sql(
  'notice_addresses_insert',
  `INSERT INTO notice_addresses (owner_kind, owner_id, id, channel, shown, kinds, low_balance_nano_usd, is_enabled,
     created_at, target, recipient_id, secret)
   SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12
   WHERE (SELECT count(*) FROM notice_addresses WHERE owner_kind = $1 AND owner_id = $2) < $13
   RETURNING id`,
);

const changeStatement = sql(
  'notice_addresses_change',
  `UPDATE notice_addresses SET kinds = $4, low_balance_nano_usd = $5, is_enabled = $6
   WHERE owner_kind = $1 AND owner_id = $2 AND id = $3`,
);

const deleteStatement = sql(
  'notice_addresses_delete',
  'DELETE FROM notice_addresses WHERE owner_kind = $1 AND owner_id = $2 AND id = $3 RETURNING id',
);

const recipientStatement = sql(
  'notice_addresses_recipient',
  `SELECT u.id, u.email FROM users u
   WHERE ($1 = 'user' AND u.id = $2)
      OR ($1 = 'org' AND u.email_normalized = $3
          AND EXISTS (SELECT FROM org_members m WHERE m.org_id = $2 AND m.user_id = u.id))`,
);

export const listAddresses = (queryable: Queryable, { kind, id }: NoticeOwner): Promise<AddressRow[]> =>
  queryable.query<AddressRow>(listStatement, [kind, id]);

export const findAddress = (queryable: Queryable, owner: NoticeOwner, id: string): Promise<AddressRow | null> =>
  firstRow(queryable, findStatement, [owner.kind, owner.id, id]);

/** Locked until the transaction ends, so that a change begins with what the one before it left. */
export const lockAddress = (transaction: Queryable, owner: NoticeOwner, id: string): Promise<AddressRow | null> =>
  firstRow(transaction, lockStatement, [owner.kind, owner.id, id]);

/** False when the owner has as many addresses as allowed. */
export async function insertAddress(
  queryable: Queryable,
  owner: NoticeOwner,
  row: NewAddressRow,
  addressesMax: number,
): Promise<boolean> {
  const { id, channel, shown, kinds, lowBalanceNanoUsd, isEnabled, createdAt, target, recipientId, secret } = row;
  const values = [id, channel, shown, kinds, lowBalanceNanoUsd, isEnabled, createdAt, target, recipientId, secret];
  const inserted = await queryable.query(insertStatement, [owner.kind, owner.id, ...values, addressesMax]);
  return inserted.length > 0;
}

export async function changeAddress(queryable: Queryable, owner: NoticeOwner, row: AddressRow): Promise<void> {
  const { id, kinds, lowBalanceNanoUsd, isEnabled } = row;
  await queryable.query(changeStatement, [owner.kind, owner.id, id, kinds, lowBalanceNanoUsd, isEnabled]);
}

export const deleteAddress = (queryable: Queryable, owner: NoticeOwner, id: string): Promise<boolean> =>
  hasRow(queryable, deleteStatement, [owner.kind, owner.id, id]);

type Recipient = Readonly<{ id: string; email: string }>;

/** The person for their own notices; a member, by the mail address, for those of an organization. */
export const findRecipient = (
  queryable: Queryable,
  owner: Readonly<{ kind: NoticeOwnerKind; id: string }>,
  normalizedEmail: string,
): Promise<Recipient | null> => firstRow(queryable, recipientStatement, [owner.kind, owner.id, normalizedEmail]);
