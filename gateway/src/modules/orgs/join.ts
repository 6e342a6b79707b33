// A person becomes a member, added directly or by an invitation. It runs under the organization's lock, so the count of
// seats is exact.

import type { OrgRole } from '../../contract/org-management.ts';
import { ApiError } from '../../errors/api-error.ts';
import { assert } from '../../platform/assert.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { teamNotFound } from './change.ts';
import { readSettings } from './settings.ts';
import { endOpenInvitation } from './store/invitations.ts';
import { findMember, insertMember, type MemberRow } from './store/members.ts';
import { countParts, type OrganizationRow } from './store/organizations.ts';
import { isBarred } from './store/provisioned-people.ts';
import { findTeam } from './store/teams.ts';

export type Place = Readonly<{
  role: OrgRole;
  teamId: string | null;
  /** Undefined: the organization's default for new members. */
  monthlyBudgetNanoUsd: NanoUsd | null | undefined;
}>;

type Joining = Place & Readonly<{ userId: string; emailNormalized: string }>;

export async function join(
  transaction: Queryable,
  { id: orgId, seats, settings }: OrganizationRow,
  { userId, emailNormalized, role, teamId, ...wish }: Joining,
): Promise<MemberRow> {
  const given = wish.monthlyBudgetNanoUsd;
  const monthlyBudgetNanoUsd = given === undefined ? readSettings(settings).defaultMemberBudgetNanoUsd : given;
  const id = newId('mem');
  const { memberCount } = await countParts(transaction, orgId);
  if (!(await insertMember(transaction, { id, orgId, userId, role, teamId, monthlyBudgetNanoUsd }))) {
    throw new ApiError('http_409', 'This person is a member of the organization already.');
  }
  if (memberCount >= seats)
    throw new ApiError(
      'http_409',
      `All ${seats} seats of the organization are taken. Remove a member first, or ask the operator for more.`,
    );
  await endOpenInvitation(transaction, orgId, emailNormalized);
  const member = await findMember(transaction, orgId, id);
  assert(member !== null, 'a member who was just added is found');
  return member;
}

/** Whom the organization's directory has deactivated or removed, only the directory lets in again. */
export async function refuseBarred(transaction: Queryable, orgId: string, userId: string): Promise<void> {
  if (!(await isBarred(transaction, orgId, userId))) return;
  throw new ApiError(
    'http_403',
    "The organization's directory has deactivated this person, and only the directory can let them in again.",
  );
}

/** Where the organization keeps it to its administrators to bring people in. */
export function refuseTeamAdmins({ settings }: OrganizationRow): void {
  if (readSettings(settings).canTeamAdminsInvite) return;
  throw new ApiError('http_403', 'In this organization only an org_admin invites people.');
}

/** A team must belong to this organization, and a team's administrator must be in it. */
export async function refusePlace(
  transaction: Queryable,
  orgId: string,
  { role, teamId }: Pick<Place, 'role' | 'teamId'>,
): Promise<void> {
  if (role === 'team_admin' && teamId === null) {
    throw new ApiError('http_400', 'teamId: is required for the role team_admin.');
  }
  if (teamId !== null && (await findTeam(transaction, orgId, teamId)) === null) throw teamNotFound();
}
