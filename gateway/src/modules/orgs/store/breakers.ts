// The breaker settings of an organization, its teams and its members. They are columns of their rows, and are always
// read together with those that they inherit from.

import type { BreakerLayer } from '../../../canonical/breaker.ts';
import { firstRow, type Queryable, type Statement, sql } from '../../../platform/db/database.ts';

type BreakerScope = 'org' | 'team' | 'member';

/** For the organization itself, `id` is the organization's. */
export type BreakerOwner = Readonly<{ scope: BreakerScope; orgId: string; id: string }>;

/** From the organization down to what was asked for; a missing level has null in all its columns. */
export type LevelsRow = Readonly<{
  orgEnabled: boolean | null;
  orgMinute: bigint | null;
  orgHour: bigint | null;
  orgSwitchedAt: Date;
  teamId: string | null;
  teamEnabled: boolean | null;
  teamMinute: bigint | null;
  teamHour: bigint | null;
  teamSwitchedAt: Date | null;
  memberId: string | null;
  memberUserId: string | null;
  memberEnabled: boolean | null;
  memberMinute: bigint | null;
  memberHour: bigint | null;
  memberSwitchedAt: Date | null;
}>;

const columns = (table: string, name: string): string =>
  `${table}.breaker_is_enabled AS "${name}Enabled", ${table}.breaker_minute_nano_usd AS "${name}Minute",
     ${table}.breaker_hour_nano_usd AS "${name}Hour", ${table}.breaker_switched_at AS "${name}SwitchedAt"`;

const LEVELS = `SELECT ${columns('o', 'org')},
     t.id AS "teamId", ${columns('t', 'team')},
     m.id AS "memberId", m.user_id AS "memberUserId", ${columns('m', 'member')}
   FROM organizations o`;

const MEMBERS_TEAM = 'LEFT JOIN teams t ON t.org_id = o.id AND t.id = m.team_id';

// Keys of a person who has left still belong to the organization, so its breaker applies to them too.
const ofUserStatement = sql(
  'orgs_breakers_of_user',
  `${LEVELS} LEFT JOIN org_members m ON m.org_id = o.id AND m.user_id = $2 ${MEMBERS_TEAM} WHERE o.id = $1`,
);

const ofOwnerStatements: Readonly<Record<BreakerScope, Statement>> = {
  org: sql(
    'orgs_breaker_of_org',
    `${LEVELS} LEFT JOIN org_members m ON false LEFT JOIN teams t ON false WHERE o.id = $1 AND o.id = $2`,
  ),
  team: sql(
    'orgs_breaker_of_team',
    `${LEVELS} JOIN teams t ON t.org_id = o.id AND t.id = $2 LEFT JOIN org_members m ON false WHERE o.id = $1`,
  ),
  member: sql(
    'orgs_breaker_of_member',
    `${LEVELS} JOIN org_members m ON m.org_id = o.id AND m.id = $2 ${MEMBERS_TEAM} WHERE o.id = $1`,
  ),
};

const OWN = 'breaker_is_enabled AS enabled, breaker_minute_nano_usd AS minute, breaker_hour_nano_usd AS hour';
const SET = 'SET breaker_is_enabled = $3, breaker_minute_nano_usd = $4, breaker_hour_nano_usd = $5';

type Own = Readonly<{ lock: Statement; write: Statement }>;

const ownStatements: Readonly<Record<BreakerScope, Own>> = {
  org: {
    lock: sql('orgs_lock_org_breaker', `SELECT ${OWN} FROM organizations WHERE id = $1 AND id = $2 FOR UPDATE`),
    write: sql('orgs_write_org_breaker', `UPDATE organizations ${SET} WHERE id = $1 AND id = $2`),
  },
  team: {
    lock: sql('orgs_lock_team_breaker', `SELECT ${OWN} FROM teams WHERE org_id = $1 AND id = $2 FOR UPDATE`),
    write: sql('orgs_write_team_breaker', `UPDATE teams ${SET} WHERE org_id = $1 AND id = $2`),
  },
  member: {
    lock: sql('orgs_lock_member_breaker', `SELECT ${OWN} FROM org_members WHERE org_id = $1 AND id = $2 FOR UPDATE`),
    write: sql('orgs_write_member_breaker', `UPDATE org_members ${SET} WHERE org_id = $1 AND id = $2`),
  },
};

/** What stands over one user's calls for the organization; null when there is no such organization. */
export const findLevelsOfUser = (queryable: Queryable, orgId: string, userId: string): Promise<LevelsRow | null> =>
  firstRow(queryable, ofUserStatement, [orgId, userId]);

/** Null when the organization has no such team or member. */
export const findLevels = (queryable: Queryable, owner: BreakerOwner): Promise<LevelsRow | null> =>
  firstRow(queryable, ofOwnerStatements[owner.scope], [owner.orgId, owner.id]);

type OwnRow = Readonly<{ enabled: boolean | null; minute: bigint | null; hour: bigint | null }>;

/** Null when there is no such layer. Locked until the transaction ends. */
export async function lockLayer(transaction: Queryable, owner: BreakerOwner): Promise<BreakerLayer | null> {
  const [row] = await transaction.query<OwnRow>(ownStatements[owner.scope].lock, [owner.orgId, owner.id]);
  if (row === undefined) return null;
  return { isEnabled: row.enabled, minuteNanoUsd: row.minute, hourNanoUsd: row.hour };
}

export async function writeLayer(transaction: Queryable, owner: BreakerOwner, layer: BreakerLayer): Promise<void> {
  const { isEnabled, minuteNanoUsd, hourNanoUsd } = layer;
  const values = [owner.orgId, owner.id, isEnabled, minuteNanoUsd, hourNanoUsd];
  await transaction.query(ownStatements[owner.scope].write, values);
}
