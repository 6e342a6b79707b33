// The statements on the three lists of allowed models. A layer that does not exist has no row; a member without a team
// has an empty list in that layer.

import { firstRow, type Queryable, sql } from '../../../platform/db/database.ts';

export type Lists = Readonly<{ org: readonly string[]; team: readonly string[]; member: readonly string[] }>;

const ofOrgStatement = sql(
  'orgs_find_allowed_of_org',
  `SELECT allowed_models AS org, '{}'::text[] AS team, '{}'::text[] AS member FROM organizations WHERE id = $1`,
);

const ofTeamStatement = sql(
  'orgs_find_allowed_of_team',
  `SELECT o.allowed_models AS org, t.allowed_models AS team, '{}'::text[] AS member
   FROM teams t JOIN organizations o ON o.id = t.org_id
   WHERE t.org_id = $1 AND t.id = $2`,
);

const ofMemberStatement = sql(
  'orgs_find_allowed_of_member',
  `SELECT o.allowed_models AS org, coalesce(t.allowed_models, '{}') AS team, m.allowed_models AS member
   FROM org_members m JOIN organizations o ON o.id = m.org_id
     LEFT JOIN teams t ON t.org_id = m.org_id AND t.id = m.team_id
   WHERE m.org_id = $1 AND m.id = $2`,
);

const ofUserStatement = sql(
  'orgs_find_allowed_of_user',
  `SELECT o.allowed_models AS org, coalesce(t.allowed_models, '{}') AS team, m.allowed_models AS member
   FROM org_members m JOIN organizations o ON o.id = m.org_id
     LEFT JOIN teams t ON t.org_id = m.org_id AND t.id = m.team_id
   WHERE m.org_id = $1 AND m.user_id = $2`,
);

const replaceOfOrgStatement = sql(
  'orgs_replace_allowed_of_org',
  'UPDATE organizations SET allowed_models = $2 WHERE id = $1',
);

const replaceOfTeamStatement = sql(
  'orgs_replace_allowed_of_team',
  'UPDATE teams SET allowed_models = $3 WHERE org_id = $1 AND id = $2',
);

const replaceOfMemberStatement = sql(
  'orgs_replace_allowed_of_member',
  'UPDATE org_members SET allowed_models = $3 WHERE org_id = $1 AND id = $2',
);

export type Layer =
  | Readonly<{ kind: 'org' }>
  | Readonly<{ kind: 'team'; id: string }>
  | Readonly<{ kind: 'member'; id: string }>;

/** The layer's own list and those above it. Null when the organization has no such layer. */
export async function findLists(queryable: Queryable, orgId: string, layer: Layer): Promise<Lists | null> {
  const [row] = await readLayer(queryable, orgId, layer);
  return row ?? null;
}

function readLayer(queryable: Queryable, orgId: string, layer: Layer): Promise<Lists[]> {
  switch (layer.kind) {
    case 'org':
      return queryable.query<Lists>(ofOrgStatement, [orgId]);
    case 'team':
      return queryable.query<Lists>(ofTeamStatement, [orgId, layer.id]);
    case 'member':
      return queryable.query<Lists>(ofMemberStatement, [orgId, layer.id]);
  }
}

/** Null for a person who is not a member. */
export const findListsOfUser = (queryable: Queryable, orgId: string, userId: string): Promise<Lists | null> =>
  firstRow(queryable, ofUserStatement, [orgId, userId]);

export async function replaceList(
  queryable: Queryable,
  orgId: string,
  layer: Layer,
  list: readonly string[],
): Promise<void> {
  switch (layer.kind) {
    case 'org':
      await queryable.query(replaceOfOrgStatement, [orgId, list]);
      return;
    case 'team':
      await queryable.query(replaceOfTeamStatement, [orgId, layer.id, list]);
      return;
    case 'member':
      await queryable.query(replaceOfMemberStatement, [orgId, layer.id, list]);
  }
}
