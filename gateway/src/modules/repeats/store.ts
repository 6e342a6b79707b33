// The statements on calls that may be repeated. The process that runs a call claims its row and renews it; a row whose
// process has died is claimed by the next request, with the same generation, so that the call is charged at most once.

import { firstRow, hasRow, type Queryable, sql } from '../../platform/db/database.ts';

type NewClaim = Readonly<{
  id: string;
  accountId: string;
  bodyDigest: string;
  generationId: string;
  calledAt: Date;
  runner: string;
  now: Date;
  /** A process that has not renewed its row since then counts as dead. */
  deadline: Date;
  expiresAt: Date;
}>;

export type ClaimedCall = Readonly<{ generationId: string; calledAt: Date }>;

const claimStatement = sql(
  'repeats_claim',
  `INSERT INTO idempotent_calls AS known
     (id, account_id, body_digest, generation_id, called_at, runner, alive_at, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $9)
   ON CONFLICT (id) DO UPDATE SET
     account_id = excluded.account_id, body_digest = excluded.body_digest, runner = excluded.runner,
     alive_at = excluded.alive_at, answer = NULL, answer_bytes = 0, expires_at = excluded.expires_at,
     generation_id = CASE WHEN known.expires_at <= $7 THEN excluded.generation_id ELSE known.generation_id END,
     called_at = CASE WHEN known.expires_at <= $7 THEN excluded.called_at ELSE known.called_at END
   WHERE known.expires_at <= $7
      OR (known.runner IS NOT NULL AND known.alive_at < $8 AND known.body_digest = excluded.body_digest)
   RETURNING generation_id AS "generationId", called_at AS "calledAt"`,
);

const findStatement = sql(
  'repeats_find_small',
  `SELECT body_digest AS "bodyDigest", runner IS NOT NULL AS "isRunning", answer_bytes AS "answerBytes",
     CASE WHEN answer_bytes <= $3 THEN answer END AS "answer"
   FROM idempotent_calls
   WHERE id = $1 AND account_id = $2`,
);

const answerStatement = sql(
  'repeats_answer',
  'SELECT answer FROM idempotent_calls WHERE id = $1 AND account_id = $2 AND runner IS NULL',
);

const finishStatement = sql(
  'repeats_finish',
  `UPDATE idempotent_calls SET runner = NULL, answer = $3, answer_bytes = coalesce(length($3::bytea), 0), expires_at = $4
   WHERE id = $1 AND runner = $2
   RETURNING id`,
);

const abandonStatement = sql('repeats_abandon', 'DELETE FROM idempotent_calls WHERE id = $1 AND runner = $2');

/** It looks as if its runner had died, so that the next request takes it over at once. */
const restStatement = sql(
  'repeats_rest',
  "UPDATE idempotent_calls SET alive_at = '-infinity' WHERE id = $1 AND runner = $2",
);

const beatStatement = sql(
  'repeats_beat',
  'UPDATE idempotent_calls SET alive_at = $3 WHERE id = ANY ($1::text[]) AND runner = $2',
);

const kept = `SELECT count(*) AS "calls", coalesce(sum(answer_bytes), 0)::bigint AS "bytes"
   FROM idempotent_calls
   WHERE account_id = $1`;
const keptStatement = sql('repeats_kept', kept);

const sweepStatement = sql(
  'repeats_sweep',
  `WITH old AS (SELECT id FROM idempotent_calls WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)
   DELETE FROM idempotent_calls c USING old
   WHERE c.id = old.id
   RETURNING c.id`,
);

/** Null when another process has the call, or had it. */
export async function claim(queryable: Queryable, row: NewClaim): Promise<ClaimedCall | null> {
  const { id, accountId, bodyDigest, generationId, calledAt, runner, now, deadline, expiresAt } = row;
  const values = [id, accountId, bodyDigest, generationId, calledAt, runner, now, deadline, expiresAt];
  return firstRow(queryable, claimStatement, values);
}

/** The answer only where it is no larger than was asked for. */
type KnownCall = Readonly<{ bodyDigest: string; isRunning: boolean; answerBytes: number; answer: Buffer | null }>;

export const findCall = (
  queryable: Queryable,
  { id, accountId }: CallKey,
  bytesMax: number,
): Promise<KnownCall | null> => firstRow(queryable, findStatement, [id, accountId, bytesMax]);

type CallKey = Readonly<{ id: string; accountId: string }>;

export async function readAnswer(queryable: Queryable, { id, accountId }: CallKey): Promise<Buffer | null> {
  return (await queryable.query<{ answer: Buffer | null }>(answerStatement, [id, accountId]))[0]?.answer ?? null;
}

/** False when another process has taken the call over meanwhile. */
export const finish = (
  queryable: Queryable,
  { id, runner, answer, expiresAt }: Readonly<{ id: string; runner: string; answer: Buffer | null; expiresAt: Date }>,
): Promise<boolean> => hasRow(queryable, finishStatement, [id, runner, answer, expiresAt]);

export async function abandon(queryable: Queryable, id: string, runner: string): Promise<void> {
  await queryable.query(abandonStatement, [id, runner]);
}

export async function rest(queryable: Queryable, id: string, runner: string): Promise<void> {
  await queryable.query(restStatement, [id, runner]);
}

export async function beat(queryable: Queryable, ids: readonly string[], runner: string, now: Date): Promise<void> {
  await queryable.query(beatStatement, [ids, runner, now]);
}

export async function readKept(
  queryable: Queryable,
  accountId: string,
): Promise<Readonly<{ calls: bigint; bytes: bigint }>> {
  const [row] = await queryable.query<{ calls: bigint; bytes: bigint }>(keptStatement, [accountId]);
  return row ?? { calls: 0n, bytes: 0n };
}

export async function sweep(queryable: Queryable, now: Date, limit: number): Promise<number> {
  return (await queryable.query(sweepStatement, [now, limit])).length;
}
