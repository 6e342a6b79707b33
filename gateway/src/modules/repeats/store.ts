// The statements on calls that may be repeated. A row is claimed by whoever runs the call and shows signs of life; one
// whose runner has died is claimed by the next who asks, with the same generation, so that it is charged once at most.

import { type Queryable, sql } from '../../platform/db/database.ts';

type NewClaim = Readonly<{
  id: string;
  accountId: string;
  bodyDigest: string;
  generationId: string;
  calledAt: Date;
  runner: string;
  now: Date;
  /** Who has shown no sign of life since counts as dead. */
  deadline: Date;
  expiresAt: Date;
}>;

export type ClaimedCall = Readonly<{ generationId: string; calledAt: Date }>;

const claimStatement = sql(
  'repeats_claim',
  `insert into idempotent_calls as known
     (id, account_id, body_digest, generation_id, called_at, runner, alive_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $9)
   on conflict (id) do update set
     account_id = excluded.account_id, body_digest = excluded.body_digest, runner = excluded.runner,
     alive_at = excluded.alive_at, answer = null, answer_bytes = 0, expires_at = excluded.expires_at,
     generation_id = case when known.expires_at <= $7 then excluded.generation_id else known.generation_id end,
     called_at = case when known.expires_at <= $7 then excluded.called_at else known.called_at end
   where known.expires_at <= $7
      or (known.runner is not null and known.alive_at < $8 and known.body_digest = excluded.body_digest)
   returning generation_id as "generationId", called_at as "calledAt"`,
);

const findStatement = sql(
  'repeats_find',
  `select body_digest as "bodyDigest", runner is not null as "isRunning", answer
   from idempotent_calls where id = $1 and account_id = $2`,
);

const finishStatement = sql(
  'repeats_finish',
  `update idempotent_calls set runner = null, answer = $3, answer_bytes = coalesce(length($3::bytea), 0), expires_at = $4
   where id = $1 and runner = $2 returning id`,
);

const abandonStatement = sql('repeats_abandon', 'delete from idempotent_calls where id = $1 and runner = $2');

const beatStatement = sql(
  'repeats_beat',
  'update idempotent_calls set alive_at = $3 where id = any ($1::text[]) and runner = $2',
);

const kept = `select count(*) as "calls", coalesce(sum(answer_bytes), 0)::bigint as "bytes"
   from idempotent_calls where account_id = $1`;
const keptStatement = sql('repeats_kept', kept);

const sweepStatement = sql(
  'repeats_sweep',
  `with old as (select id from idempotent_calls where expires_at <= $1 order by expires_at limit $2)
   delete from idempotent_calls c using old where c.id = old.id returning c.id`,
);

/** Null when somebody else has it, or has had it. */
export async function claim(queryable: Queryable, row: NewClaim): Promise<ClaimedCall | null> {
  const { id, accountId, bodyDigest, generationId, calledAt, runner, now, deadline, expiresAt } = row;
  const values = [id, accountId, bodyDigest, generationId, calledAt, runner, now, deadline, expiresAt];
  return (await queryable.query<ClaimedCall>(claimStatement, values))[0] ?? null;
}

type KnownCall = Readonly<{ bodyDigest: string; isRunning: boolean; answer: Buffer | null }>;

export async function findCall(queryable: Queryable, id: string, accountId: string): Promise<KnownCall | null> {
  return (await queryable.query<KnownCall>(findStatement, [id, accountId]))[0] ?? null;
}

/** False when somebody else has taken the call over meanwhile. */
export async function finish(
  queryable: Queryable,
  { id, runner, answer, expiresAt }: Readonly<{ id: string; runner: string; answer: Buffer | null; expiresAt: Date }>,
): Promise<boolean> {
  return (await queryable.query(finishStatement, [id, runner, answer, expiresAt])).length === 1;
}

export async function abandon(queryable: Queryable, id: string, runner: string): Promise<void> {
  await queryable.query(abandonStatement, [id, runner]);
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
