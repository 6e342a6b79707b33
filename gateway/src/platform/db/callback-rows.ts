// Calls to the addresses that owners gave with their jobs, as rows of a table for each kind of job. The table's columns
// are the same for all of them: `job_id`, `url`, `host`, `state`, `attempts`, `next_attempt_at` and `ended_at`.

import { type Queryable, sql } from './database.ts';
import { leaseRows } from './lease-rows.ts';

export type CallbackRow = Readonly<{ jobId: string; url: string; host: string; ownerId: string; attempts: number }>;

type CallbackClaim = Readonly<{
  nowMs: number;
  againAtMs: number;
  limit: number;
  busy: Readonly<{ hosts: readonly string[]; ownerIds: readonly string[] }>;
}>;

export type CallbackRows = Readonly<{
  claim(queryable: Queryable, claim: CallbackClaim): Promise<CallbackRow[]>;
  postpone(queryable: Queryable, jobId: string, untilMs: number): Promise<void>;
  /** Its address is not kept. */
  end(queryable: Queryable, jobId: string, state: 'sent' | 'given_up', atMs: number): Promise<void>;
  /** Since when the oldest has been due; null when none is. */
  oldestDue(queryable: Queryable, nowMs: number): Promise<Date | null>;
}>;

/** `jobs` is the table of the jobs, whose accounts own the addresses. */
export function callbackRows(table: string, jobs: string): CallbackRows {
  const ownerId = `(SELECT j.account_id FROM ${jobs} j WHERE j.id = ${table}.job_id)`;
  const due = `state = 'waiting' AND next_attempt_at <= $1`;
  const lease = leaseRows({
    table,
    key: 'job_id',
    set: 'attempts = attempts + 1, next_attempt_at = $2',
    due: `${due} AND host <> ALL ($4::text[]) AND (cardinality($5::text[]) = 0 OR ${ownerId} <> ALL ($5::text[]))`,
    order: 'next_attempt_at',
  });
  const claimStatement = sql(
    `${table}_claim`,
    `${lease} RETURNING job_id AS "jobId", url, host, ${ownerId} AS "ownerId", attempts`,
  );
  const postponeStatement = sql(
    `${table}_postpone`,
    `UPDATE ${table} SET next_attempt_at = $2 WHERE job_id = $1 AND state = 'waiting'`,
  );
  const endStatement = sql(
    `${table}_end`,
    `UPDATE ${table} SET state = $2, ended_at = $3, url = NULL WHERE job_id = $1 AND state = 'waiting'`,
  );
  const oldestStatement = sql(
    `${table}_oldest_due`,
    `SELECT min(next_attempt_at) AS "dueSince" FROM ${table} WHERE ${due}`,
  );
  return {
    claim: (queryable, { nowMs, againAtMs, limit, busy }) =>
      queryable.query<CallbackRow>(claimStatement, [
        ...[new Date(nowMs), new Date(againAtMs), limit],
        ...[busy.hosts, busy.ownerIds],
      ]),
    async postpone(queryable, jobId, untilMs) {
      await queryable.query(postponeStatement, [jobId, new Date(untilMs)]);
    },
    async end(queryable, jobId, state, atMs) {
      await queryable.query(endStatement, [jobId, state, new Date(atMs)]);
    },
    async oldestDue(queryable, nowMs) {
      const [row] = await queryable.query<{ dueSince: Date | null }>(oldestStatement, [new Date(nowMs)]);
      return row?.dueSince ?? null;
    },
  };
}
