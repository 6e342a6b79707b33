// The queue of mails. One that was claimed by a process that died falls due again by itself.

import { type Queryable, sql } from '../../platform/db/database.ts';
import { forgetting } from '../../platform/db/forget.ts';
import { leaseRows } from '../../platform/db/lease-rows.ts';

export type QueuedRow = Readonly<{
  id: string;
  recipient: string;
  content: string;
  attempts: number;
  created_at: Date;
}>;

const insertStatement = sql(
  'mail_insert',
  `INSERT INTO mail_outbox (id, recipient, content, next_attempt_at, created_at) VALUES ($1, $2, $3, $4, $4)`,
);

const claimStatement = sql(
  'mail_claim',
  `${leaseRows({
    table: 'mail_outbox',
    key: 'id',
    set: 'attempts = attempts + 1, next_attempt_at = $2',
    due: "state = 'waiting' AND next_attempt_at <= $1",
    order: 'next_attempt_at',
  })} RETURNING id, recipient, content, attempts, created_at`,
);

const postponeStatement = sql(
  'mail_postpone',
  `UPDATE mail_outbox SET next_attempt_at = $2 WHERE id = $1 AND state = 'waiting'`,
);

const endStatement = sql(
  'mail_end',
  `UPDATE mail_outbox SET state = $2, ended_at = $3, content = NULL WHERE id = $1 AND state = 'waiting'`,
);

const forget = forgetting('mail_forget', 'mail_outbox', "state <> 'waiting' AND ended_at < $1");

// The second column is how long the oldest mail has waited since it was queued, however often it has been tried.
const oldestStatement = sql(
  'mail_oldest',
  `SELECT min(next_attempt_at) FILTER (WHERE next_attempt_at <= $1) AS "dueSince", min(created_at) AS "waitsSince"
   FROM mail_outbox
   WHERE state = 'waiting'`,
);

type OldestMail = Readonly<{ dueSince: Date | null; waitsSince: Date | null }>;

export async function oldestMail(queryable: Queryable, nowMs: number): Promise<OldestMail> {
  const [row] = await queryable.query<OldestMail>(oldestStatement, [new Date(nowMs)]);
  return row ?? { dueSince: null, waitsSince: null };
}

type NewMailRow = Readonly<{ id: string; recipient: string; content: string; atMs: number }>;

export async function insertMail(queryable: Queryable, mail: NewMailRow): Promise<void> {
  await queryable.query(insertStatement, [mail.id, mail.recipient, mail.content, new Date(mail.atMs)]);
}

export type Claim = Readonly<{ nowMs: number; againAtMs: number; limit: number }>;

export function claimDue(queryable: Queryable, { nowMs, againAtMs, limit }: Claim): Promise<QueuedRow[]> {
  return queryable.query<QueuedRow>(claimStatement, [new Date(nowMs), new Date(againAtMs), limit]);
}

export async function postpone(queryable: Queryable, id: string, untilMs: number): Promise<void> {
  await queryable.query(postponeStatement, [id, new Date(untilMs)]);
}

type MailEnd = Readonly<{ id: string; state: 'sent' | 'given_up'; atMs: number }>;

export async function endMail(queryable: Queryable, { id, state, atMs }: MailEnd): Promise<void> {
  await queryable.query(endStatement, [id, state, new Date(atMs)]);
}

export async function forgetEndedBefore(queryable: Queryable, beforeMs: number): Promise<void> {
  await forget(queryable, [new Date(beforeMs)]);
}
