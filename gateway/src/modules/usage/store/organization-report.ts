// An organization's month, from the daily sums. Current teams and members are listed beside the spending of those that
// are gone: a sum never loses a part because somebody has left.

import { type Queryable, sql } from '../../../platform/db/database.ts';

/** Days are `YYYY-MM-DD`, both included. */
export type OrganizationSpan = Readonly<{ orgId: string; firstDay: string; lastDay: string }>;

const IN_SPAN = 'FROM usage_daily_now WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date';
const SPENT = 'sum(cost_nano_usd)::bigint AS spent';
const COUNTS = 'sum(requests)::bigint AS requests, sum(prompt_tokens + completion_tokens)::bigint AS tokens';

export type DayRow = Readonly<{ day: string; spent: bigint; upstream: bigint }>;

const daysStatement = sql(
  'usage_org_days',
  `SELECT day, ${SPENT}, sum(upstream_nano_usd)::bigint AS upstream ${IN_SPAN} GROUP BY day ORDER BY day`,
);

/** One row for each team and model, and one without a model for a team without calls. */
export type TeamRow = Readonly<{
  teamId: string;
  name: string | null;
  budget: bigint | null;
  modelId: string | null;
  spent: bigint;
}>;

const teamsStatement = sql(
  'usage_org_teams',
  `WITH summed AS (
     SELECT team_id, model_id, ${SPENT} ${IN_SPAN} GROUP BY team_id, model_id
   )
   SELECT coalesce(s.team_id, t.id) AS "teamId", t.name, t.monthly_budget_nano_usd AS budget, s.model_id AS "modelId",
          coalesce(s.spent, 0) AS spent
   FROM summed s FULL JOIN (SELECT * FROM teams WHERE org_id = $1) t ON t.id = s.team_id
   ORDER BY t.name, 1, spent DESC, s.model_id`,
);

export type ModelRow = Readonly<{ modelId: string; spent: bigint; requests: bigint; tokens: bigint }>;

const modelsStatement = sql(
  'usage_org_models',
  `SELECT model_id AS "modelId", ${SPENT}, ${COUNTS} ${IN_SPAN} GROUP BY model_id ORDER BY spent DESC, model_id`,
);

export type MemberRow = Readonly<{
  memberId: string | null;
  userId: string;
  name: string | null;
  email: string | null;
  teamId: string | null;
  teamName: string | null;
  spent: bigint;
  requests: bigint;
  tokens: bigint;
}>;

const membersStatement = sql(
  'usage_org_members',
  `WITH summed AS (
     SELECT user_id, ${SPENT}, ${COUNTS} ${IN_SPAN} GROUP BY user_id
   ), everyone AS (
     SELECT m.id AS member_id, coalesce(m.user_id, s.user_id) AS user_id, m.team_id, s.spent, s.requests, s.tokens
     FROM summed s FULL JOIN (SELECT * FROM org_members WHERE org_id = $1) m ON m.user_id = s.user_id
   )
   SELECT e.member_id AS "memberId", e.user_id AS "userId", u.name, u.email, t.id AS "teamId", t.name AS "teamName",
          coalesce(e.spent, 0) AS spent, coalesce(e.requests, 0) AS requests, coalesce(e.tokens, 0) AS tokens
   FROM everyone e LEFT JOIN users u ON u.id = e.user_id LEFT JOIN teams t ON t.org_id = $1 AND t.id = e.team_id
   ORDER BY 7 DESC, u.name, e.user_id`,
);

const valuesOf = ({ orgId, firstDay, lastDay }: OrganizationSpan): readonly string[] => [orgId, firstDay, lastDay];

/** Only days with a call, in order. */
export const readDays = (queryable: Queryable, span: OrganizationSpan): Promise<DayRow[]> =>
  queryable.query<DayRow>(daysStatement, valuesOf(span));

export const readTeams = (queryable: Queryable, span: OrganizationSpan): Promise<TeamRow[]> =>
  queryable.query<TeamRow>(teamsStatement, valuesOf(span));

export const readModels = (queryable: Queryable, span: OrganizationSpan): Promise<ModelRow[]> =>
  queryable.query<ModelRow>(modelsStatement, valuesOf(span));

export const readMembers = (queryable: Queryable, span: OrganizationSpan): Promise<MemberRow[]> =>
  queryable.query<MemberRow>(membersStatement, valuesOf(span));
