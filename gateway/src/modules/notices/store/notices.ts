// Notices and their deliveries. A notice and its deliveries are one statement, so a notice goes to every address that
// wants it. Claiming a delivery moves its next attempt into the future, so nothing has to be cleared when a process
// dies while sending.

import type { NoticeChannel, NoticeOwnerKind } from '../../../contract/notices.ts';
import { hasRow, type Queryable, sql } from '../../../platform/db/database.ts';
import { forgetting } from '../../../platform/db/forget.ts';
import { leaseRows } from '../../../platform/db/lease-rows.ts';
import { newId } from '../../../platform/ids.ts';
import type { Busy } from '../../../platform/outbound/paced-calls.ts';
import type { Cause, NoticeFacts, NoticeOwner } from '../owner.ts';

// A notice that no address wants is not stored, so that it is still new for an address that is added later.
const raiseStatement = sql(
  'notices_raise',
  `WITH given AS (
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::jsonb[], $7::text[])
       AS g (id, owner_kind, owner_id, kind, cause, facts, address_id)
   ), wanted AS (
     SELECT g.id AS notice_id, a.id AS address_id, a.shown
     FROM given g JOIN notice_addresses a
       ON a.owner_kind = g.owner_kind AND a.owner_id = g.owner_id AND a.is_enabled
      AND (g.kind = 'test' OR g.kind = ANY (a.kinds)) AND (g.address_id IS NULL OR a.id = g.address_id)
   ), raised AS (
     INSERT INTO notices (id, owner_kind, owner_id, kind, cause, facts, created_at)
     SELECT g.id, g.owner_kind, g.owner_id, g.kind, g.cause, g.facts, $8
     FROM given g WHERE EXISTS (SELECT FROM wanted w WHERE w.notice_id = g.id)
     ON CONFLICT (owner_kind, owner_id, kind, cause) DO NOTHING RETURNING id
   ), counted AS (
     SELECT w.*, row_number() OVER (PARTITION BY w.address_id) + (
       SELECT count(*) FROM notice_deliveries d
       WHERE d.address_id = w.address_id AND d.created_at > $8::timestamptz - interval '1 day' AND d.state <> 'held_back'
     ) AS place
     FROM wanted w JOIN raised r ON r.id = w.notice_id
   )
   INSERT INTO notice_deliveries (notice_id, address_id, host, state, created_at, next_attempt_at, ended_at)
   SELECT notice_id, address_id, shown, CASE WHEN place <= $9 THEN 'waiting' ELSE 'held_back' END, $8, $8,
          CASE WHEN place <= $9 THEN NULL ELSE $8::timestamptz END
   FROM counted`,
);

const lease = leaseRows({
  table: 'notice_deliveries',
  key: 'notice_id, address_id',
  set: 'attempts = attempts + 1, next_attempt_at = $2',
  due: `state = 'waiting' AND next_attempt_at <= $1 AND host <> ALL ($4::text[])
    AND NOT EXISTS (SELECT FROM notices o WHERE o.id = notice_id AND o.owner_id = ANY ($5::text[]))`,
  order: 'next_attempt_at',
});

const claimStatement = sql(
  'notice_deliveries_claim',
  `WITH claimed AS (
     ${lease}
     RETURNING notice_id, address_id, host, attempts
   )
   SELECT c.notice_id AS "noticeId", c.address_id AS "addressId", c.host, c.attempts, a.channel, a.target, a.secret,
          a.is_enabled AS "isEnabled",
          n.kind, n.facts, n.owner_kind AS "ownerKind", n.owner_id AS "ownerId", n.created_at AS "createdAt",
          a.recipient_id AS "recipientId", u.email
   FROM claimed c
   JOIN notices n ON n.id = c.notice_id
   JOIN notice_addresses a ON a.id = c.address_id
   LEFT JOIN users u ON u.id = a.recipient_id AND NOT u.is_suspended
     AND (a.owner_kind = 'user'
          OR EXISTS (SELECT FROM org_members m WHERE m.org_id = a.owner_id AND m.user_id = u.id))`,
);

const oldestDueStatement = sql(
  'notice_deliveries_oldest_due',
  `SELECT min(next_attempt_at) AS "dueSince" FROM notice_deliveries
   WHERE state = 'waiting' AND next_attempt_at <= $1`,
);

const postponeStatement = sql(
  'notice_deliveries_postpone',
  `UPDATE notice_deliveries SET next_attempt_at = $3, failure = $4
   WHERE notice_id = $1 AND address_id = $2 AND state = 'waiting'`,
);

const endStatement = sql(
  'notice_deliveries_end',
  `UPDATE notice_deliveries SET state = $3, ended_at = $4, failure = $5
   WHERE notice_id = $1 AND address_id = $2 AND state = 'waiting'`,
);

const logStatement = sql(
  'notices_log',
  `SELECT n.id, n.kind, n.facts, d.address_id AS "addressId", d.state, d.attempts, d.failure,
          d.created_at AS "createdAt", d.ended_at AS "endedAt"
   FROM notices n JOIN notice_deliveries d ON d.notice_id = n.id
   WHERE n.owner_kind = $1 AND n.owner_id = $2
   ORDER BY n.created_at DESC, n.id, d.address_id LIMIT $3`,
);

const testsStatement = sql(
  'notices_tests_lately',
  `SELECT count(*)::integer AS tests FROM notices
   WHERE owner_kind = $1 AND owner_id = $2 AND kind = 'test' AND created_at > $3`,
);

const forget = forgetting('notices_forget', 'notices', 'created_at < $1');

const roundStatement = sql(
  'notice_rounds_take',
  `INSERT INTO notice_rounds AS r (name, looked_at) VALUES ($1, $2)
   ON CONFLICT (name) DO UPDATE SET looked_at = excluded.looked_at
   WHERE r.looked_at <= $3
   RETURNING name`,
);

export async function raiseNotices(
  queryable: Queryable,
  causes: readonly Cause[],
  { atMs, perDayMax }: Readonly<{ atMs: number; perDayMax: number }>,
): Promise<void> {
  if (causes.length === 0) return;
  await queryable.query(raiseStatement, [
    causes.map(() => newId('ntc')),
    causes.map(({ owner }) => owner.kind),
    causes.map(({ owner }) => owner.id),
    causes.map(({ kind }) => kind),
    causes.map(({ cause }) => cause),
    causes.map(({ facts }) => JSON.stringify(facts)),
    causes.map(({ addressId }) => addressId ?? null),
    new Date(atMs),
    perDayMax,
  ]);
}

export type DeliveryRow = Readonly<{
  noticeId: string;
  addressId: string;
  host: string;
  attempts: number;
  /** Whether the owner still wants notices there. */
  isEnabled: boolean;
  channel: NoticeChannel;
  target: string | null;
  secret: string | null;
  kind: string;
  facts: NoticeFacts;
  ownerKind: NoticeOwnerKind;
  ownerId: string;
  createdAt: Date;
  recipientId: string | null;
  /** The recipient's address, as long as they may be told. */
  email: string | null;
}>;

type DeliveryClaim = Readonly<{ nowMs: number; againAtMs: number; limit: number; busy: Busy }>;

export const claimDeliveries = (queryable: Queryable, claim: DeliveryClaim): Promise<DeliveryRow[]> =>
  queryable.query<DeliveryRow>(claimStatement, [
    new Date(claim.nowMs),
    new Date(claim.againAtMs),
    claim.limit,
    claim.busy.hosts,
    claim.busy.ownerIds,
  ]);

/** Since when the oldest has been due; null when none is. */
export async function oldestDueDelivery(queryable: Queryable, nowMs: number): Promise<Date | null> {
  const [row] = await queryable.query<{ dueSince: Date | null }>(oldestDueStatement, [new Date(nowMs)]);
  return row?.dueSince ?? null;
}

type Place = Readonly<{ noticeId: string; addressId: string }>;

export async function postponeDelivery(
  queryable: Queryable,
  { noticeId, addressId }: Place,
  { untilMs, failure }: Readonly<{ untilMs: number; failure: string }>,
): Promise<void> {
  await queryable.query(postponeStatement, [noticeId, addressId, new Date(untilMs), failure]);
}

export async function endDelivery(
  queryable: Queryable,
  { noticeId, addressId }: Place,
  { state, atMs, failure }: Readonly<{ state: 'sent' | 'given_up'; atMs: number; failure: string | null }>,
): Promise<void> {
  await queryable.query(endStatement, [noticeId, addressId, state, new Date(atMs), failure]);
}

export type LogRow = Readonly<{
  id: string;
  kind: string;
  facts: NoticeFacts;
  addressId: string;
  state: 'waiting' | 'sent' | 'given_up' | 'held_back';
  attempts: number;
  failure: string | null;
  createdAt: Date;
  endedAt: Date | null;
}>;

export const readLog = (queryable: Queryable, { kind, id }: NoticeOwner, limit: number): Promise<LogRow[]> =>
  queryable.query<LogRow>(logStatement, [kind, id, limit]);

export async function countTests(queryable: Queryable, { kind, id }: NoticeOwner, sinceMs: number): Promise<number> {
  const [row] = await queryable.query<{ tests: number }>(testsStatement, [kind, id, new Date(sinceMs)]);
  return row?.tests ?? 0;
}

export async function forgetNotices(queryable: Queryable, beforeMs: number): Promise<void> {
  await forget(queryable, [new Date(beforeMs)]);
}

/** True for one process within `everyMs`. */
export const takeRound = (
  queryable: Queryable,
  name: string,
  { atMs, everyMs }: Readonly<{ atMs: number; everyMs: number }>,
): Promise<boolean> => hasRow(queryable, roundStatement, [name, new Date(atMs), new Date(atMs - everyMs)]);
