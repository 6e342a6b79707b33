// What a session has used of its quotas, in its own row: a second call waits for the first one's statement, in any
// process.

import { firstRow, hasRow, type Queryable, sql } from '../../../platform/db/database.ts';

// No call lasts this long, so what is still held an hour after the last call was left by a process that died.
const HELD = `CASE WHEN s.last_call_at < $6::timestamptz - interval '1 hour' THEN 0 ELSE s.tokens_held END`;

// The row of a session without quotas counts nothing. Where one is set later, the first call under it begins with what
// the session's calls have used.
const usedBefore = (kept: string, figure: string): string =>
  `greatest(s.${kept}, CASE WHEN s.last_call_at IS NULL THEN coalesce((
     SELECT sum(${figure}) FROM usage_daily_now u WHERE u.key_id = s.id AND u.account_id = s.org_id
   ), 0)::bigint ELSE 0 END)`;
const REQUESTS = usedBefore('requests_used', 'u.requests - u.failed_requests');
const TOKENS = usedBefore('tokens_used', 'u.prompt_tokens + u.completion_tokens');

// A call must fit with the most that it may use. A call that is alone need not, because otherwise a quota smaller than
// one large call could never be used up, and would look broken instead of small.
const takeStatement = sql(
  'edu_take_quota',
  `UPDATE edu_sessions s SET
     requests_used = ${REQUESTS} + 1, tokens_used = ${TOKENS}, tokens_held = ${HELD} + $3::bigint,
     last_call_at = $6::timestamptz
   WHERE s.org_id = $1 AND s.id = $2
     AND ($4::bigint IS NULL OR ${REQUESTS} < $4)
     AND ($5::bigint IS NULL OR ${TOKENS} + ${HELD} + $3 <= $5 OR (${HELD} = 0 AND ${TOKENS} < $5))
   RETURNING s.id`,
);

const readStatement = sql(
  'edu_read_quota',
  `SELECT ${REQUESTS} AS "requestsUsed", ${TOKENS} AS "tokensUsed", s.tokens_held AS "tokensHeld"
   FROM edu_sessions s
   WHERE s.org_id = $1 AND s.id = $2`,
);

const readUseStatement = sql(
  'edu_read_use',
  `SELECT s.expires_at AS "expiresAt", greatest(s.requests_used, used.requests) AS "requestsUsed",
     greatest(s.tokens_used, used.tokens) AS "tokensUsed", used.spent AS "spentNanoUsd"
   FROM edu_sessions s CROSS JOIN LATERAL (
     SELECT coalesce(sum(u.requests), 0)::bigint AS requests,
       coalesce(sum(u.prompt_tokens + u.completion_tokens), 0)::bigint AS tokens,
       coalesce(sum(u.cost_nano_usd), 0)::bigint AS spent
     FROM usage_daily_now u WHERE u.key_id = s.id AND u.account_id = s.org_id
   ) used
   WHERE s.org_id = $1 AND s.id = $2`,
);

// The sum is of records that are durable before a call ends. Of two calls that end at once the later statement sees
// both records, so the greater sum is right, whichever is written last.
const endStatement = sql(
  'edu_end_quota',
  `UPDATE edu_sessions s SET
     requests_used = greatest(s.requests_used - $4::integer, 0), tokens_held = greatest(s.tokens_held - $3::bigint, 0),
     tokens_used = greatest(s.tokens_used, (
       SELECT coalesce(sum(u.prompt_tokens + u.completion_tokens), 0)::bigint FROM usage_daily_now u
       WHERE u.key_id = s.id AND u.account_id = s.org_id
     ))
   WHERE s.org_id = $1 AND s.id = $2`,
);

export type QuotaTake = Readonly<{
  orgId: string;
  sessionId: string;
  /** The most that the call may use. */
  tokens: number;
  requestsMax: number | null;
  tokensMax: number | null;
}>;

/** False when there is not enough left. */
export async function takeQuota(queryable: Queryable, take: QuotaTake, nowMs: number): Promise<boolean> {
  const { orgId, sessionId, tokens, requestsMax, tokensMax } = take;
  const values = [orgId, sessionId, tokens, requestsMax, tokensMax, new Date(nowMs)];
  return hasRow(queryable, takeStatement, values);
}

type QuotaRow = Readonly<{ requestsUsed: bigint; tokensUsed: bigint; tokensHeld: bigint }>;

export const readQuota = (queryable: Queryable, orgId: string, sessionId: string): Promise<QuotaRow | null> =>
  firstRow(queryable, readStatement, [orgId, sessionId]);

export type UseRow = Readonly<{ expiresAt: Date; requestsUsed: bigint; tokensUsed: bigint; spentNanoUsd: bigint }>;

export const readUse = (queryable: Queryable, orgId: string, sessionId: string): Promise<UseRow | null> =>
  firstRow(queryable, readUseStatement, [orgId, sessionId]);

/**
 * The call is over: its hold is released, and what its record says is used. A call without an answer does not count.
 */
export async function endQuota(
  queryable: Queryable,
  { orgId, sessionId, tokens }: Pick<QuotaTake, 'orgId' | 'sessionId' | 'tokens'>,
  isAnswered: boolean,
): Promise<void> {
  await queryable.query(endStatement, [orgId, sessionId, tokens, isAnswered ? 0 : 1]);
}
