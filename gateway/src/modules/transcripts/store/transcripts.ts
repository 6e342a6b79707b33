// The statements on transcripts. Every one names the organization, except the one that removes expired ones.

import { firstRow, type Queryable, sql } from '../../../platform/db/database.ts';

export type TranscriptRow = Readonly<{
  orgId: string;
  id: string;
  userId: string;
  keyId: string;
  modelId: string;
  createdAt: Date;
  expiresAt: Date;
  content: Buffer;
}>;

/** Selects transcripts: everybody's, one person's, or those of the members of a team. */
export type Scope = Readonly<{ userId: string | null; teamId: string | null }>;

// Totals are changed in the order of organizations, so that two processes cannot deadlock.
// The room of an organization is compared with what it has before the batch, so one batch may exceed it. A repeated
// call with the same id is kept once.
const insertStatement = sql(
  'transcripts_insert_bounded',
  `WITH added AS (
     INSERT INTO transcripts (org_id, id, user_id, key_id, model_id, created_at, expires_at, content)
     SELECT n.org_id, n.id, n.user_id, n.key_id, n.model_id, n.created_at, n.expires_at, n.content
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[],
       $8::bytea[], $9::bigint[]) AS n (org_id, id, user_id, key_id, model_id, created_at, expires_at, content, bytes_max)
     WHERE coalesce((SELECT t.bytes FROM transcript_totals t WHERE t.org_id = n.org_id), 0) < n.bytes_max
     ON CONFLICT DO NOTHING RETURNING org_id, octet_length(content) AS bytes
   )
   INSERT INTO transcript_totals (org_id, bytes) SELECT org_id, sum(bytes) FROM added
   GROUP BY org_id
   ORDER BY org_id
   ON CONFLICT (org_id) DO UPDATE SET bytes = transcript_totals.bytes + excluded.bytes`,
);

const COLUMNS = `t.org_id AS "orgId", t.id, t.user_id AS "userId", t.key_id AS "keyId", t.model_id AS "modelId",
  t.created_at AS "createdAt", t.expires_at AS "expiresAt", t.content`;

const IN_SCOPE = `t.org_id = $1 AND ($2::text IS NULL OR t.user_id = $2) AND ($3::text IS NULL OR EXISTS (
  SELECT FROM org_members m WHERE m.org_id = t.org_id AND m.user_id = t.user_id AND m.team_id = $3))`;

const findStatement = sql(
  'transcripts_find',
  `SELECT ${COLUMNS} FROM transcripts t WHERE ${IN_SCOPE} AND t.id = $4 AND t.expires_at > $5`,
);

// Ids begin with their time, so they sort by it.
const listStatement = sql(
  'transcripts_list',
  `SELECT ${COLUMNS} FROM transcripts t
   WHERE ${IN_SCOPE} AND t.id < $4 AND t.expires_at > $5
   ORDER BY t.id DESC LIMIT $6`,
);

const RELEASED = `INSERT INTO transcript_totals (org_id, bytes) SELECT org_id, -sum(bytes) FROM gone
   GROUP BY org_id
   ORDER BY org_id
   ON CONFLICT (org_id) DO UPDATE SET bytes = greatest(0, transcript_totals.bytes + excluded.bytes)
   RETURNING (SELECT count(*) FROM gone) AS count`;

const eraseStatement = sql(
  'transcripts_erase',
  `WITH gone AS (
     DELETE FROM transcripts WHERE org_id = $1 AND id IN (
       SELECT id FROM transcripts WHERE org_id = $1 AND ($2::text IS NULL OR user_id = $2)
         AND ($3::text IS NULL OR id = $3) LIMIT $4)
     RETURNING org_id, octet_length(content) AS bytes
   ) ${RELEASED}`,
);

// A shorter retention also applies to transcripts that are kept already.
const forgetStatement = sql(
  'transcripts_forget',
  `WITH gone AS (
     DELETE FROM transcripts t WHERE (t.org_id, t.id) IN (
       SELECT e.org_id, e.id FROM transcripts e WHERE e.expires_at <= $1 ORDER BY e.expires_at LIMIT $2
       FOR UPDATE SKIP LOCKED)
     RETURNING t.org_id, octet_length(t.content) AS bytes
   ) ${RELEASED}`,
);

// An organization may have a million of them, which one statement could not change in its time.
const shortenStatement = sql(
  'transcripts_shorten_part',
  `WITH part AS MATERIALIZED (
     SELECT id FROM transcripts WHERE org_id = $1 AND id > $3 ORDER BY id LIMIT $4
   ), changed AS (
     UPDATE transcripts t SET expires_at = t.created_at + make_interval(days => $2) FROM part p
     WHERE t.org_id = $1 AND t.id = p.id AND t.expires_at > t.created_at + make_interval(days => $2)
   )
   SELECT max(id) AS "lastId" FROM part`,
);

export async function insertTranscripts(
  queryable: Queryable,
  rows: readonly TranscriptRow[],
  bytesMaxOf: ReadonlyMap<string, number>,
): Promise<void> {
  await queryable.query(insertStatement, [
    rows.map(({ orgId }) => orgId),
    rows.map(({ id }) => id),
    rows.map(({ userId }) => userId),
    rows.map(({ keyId }) => keyId),
    rows.map(({ modelId }) => modelId),
    rows.map(({ createdAt }) => createdAt),
    rows.map(({ expiresAt }) => expiresAt),
    rows.map(({ content }) => content),
    rows.map(({ orgId }) => bytesMaxOf.get(orgId) ?? 0),
  ]);
}

type Asked = Readonly<{ orgId: string; scope: Scope; now: Date }>;

export const findTranscript = (
  queryable: Queryable,
  { orgId, scope, now }: Asked,
  id: string,
): Promise<TranscriptRow | null> => firstRow(queryable, findStatement, [orgId, scope.userId, scope.teamId, id, now]);

/** Newest first, of those older than the one with this id. */
export const listTranscripts = (
  queryable: Queryable,
  { orgId, scope, now }: Asked,
  { beforeId, limit }: Readonly<{ beforeId: string; limit: number }>,
): Promise<TranscriptRow[]> =>
  queryable.query<TranscriptRow>(listStatement, [orgId, scope.userId, scope.teamId, beforeId, now, limit]);

type Erased = Readonly<{ orgId: string; userId: string | null; id: string | null }>;

/** Answers how many; as many as `limit` where there may be more. */
export async function eraseTranscripts(queryable: Queryable, erased: Erased, limit: number): Promise<number> {
  const values = [erased.orgId, erased.userId, erased.id, limit];
  const [row] = await queryable.query<{ count: bigint }>(eraseStatement, values);
  return Number(row?.count ?? 0n);
}

export async function forgetExpired(queryable: Queryable, now: Date, limit: number): Promise<number> {
  const [row] = await queryable.query<{ count: bigint }>(forgetStatement, [now, limit]);
  return Number(row?.count ?? 0n);
}

type Shortened = Readonly<{ orgId: string; days: number; afterId: string; limit: number }>;

/** Of so many after this id; answers the last one, and null where there is none. */
export async function shortenTranscripts(
  queryable: Queryable,
  { orgId, days, afterId, limit }: Shortened,
): Promise<string | null> {
  const [row] = await queryable.query<{ lastId: string | null }>(shortenStatement, [orgId, days, afterId, limit]);
  return row?.lastId ?? null;
}
