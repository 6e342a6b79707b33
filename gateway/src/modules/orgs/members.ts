// Who belongs to an organization and what they may do in it. An organization always has an administrator: the last one
// can neither be removed nor get another role, however many requests try at once.

import type { AuditActor } from '../../canonical/audit-entry.ts';
import type { OrgRole } from '../../contract/org-management.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Queryable } from '../../platform/db/database.ts';
import {
  type Authority,
  budgetNumber,
  changeUnderLock,
  difference,
  memberNotFound,
  notYourTeam,
  type OrgChangeOptions,
  orgNotFound,
} from './change.ts';
import { join, type Place, refuseBarred, refusePlace, refuseTeamAdmins } from './join.ts';
import * as store from './store/members.ts';
import { holdOrganization, type OrganizationRow } from './store/organizations.ts';
import { findTeam } from './store/teams.ts';

export type Member = store.Member;
export type MemberDetail = store.MemberRow;

/** The address is in the normalized form, which is unique. */
type NewMember = Place & Readonly<{ emailNormalized: string }>;

/** A field that is left out stays as it is. */
type MemberChange = Partial<Place>;

/** A field that is left out stays as it is; a newcomer becomes a plain member. */
type Arrival = Readonly<{
  userId: string;
  emailNormalized: string;
  role: OrgRole | undefined;
  teamId: string | undefined;
}>;

export type Members = Readonly<{
  /** Null for a person who is not a member, and where there is no such organization. */
  memberOf(orgId: string, userId: string): Promise<Member | null>;
  /**
   * The same, and the person stays in this place until the transaction ends: what is made for a member must not be
   * made while the membership ends.
   */
  hold(transaction: Queryable, orgId: string, userId: string): Promise<Member | null>;
  /** In the order in which they joined; of one team only where an id is given. */
  list(orgId: string, onlyTeamId: string | null): Promise<readonly MemberDetail[]>;
  /**
   * 404 when nobody has the address, 409 for a member and when all seats are taken. Null, whether or not anybody has
   * the address, where the organization may only invite it.
   */
  add(orgId: string, member: NewMember, authority: Authority): Promise<MemberDetail | null>;
  change(orgId: string, memberId: string, change: MemberChange, authority: Authority): Promise<MemberDetail>;
  /** The person's keys of this organization are revoked with the membership; their own things stay. */
  remove(orgId: string, memberId: string, authority: Authority): Promise<void>;
  /**
   * For a person who signs in through the organization's own issuer: joins them, or gives them the stated place. 409
   * when all seats are taken, 403 for a person whom the directory has deactivated.
   */
  place(orgId: string, arrival: Arrival): Promise<void>;
  /** Like `remove`, by the person. 404 for a person who is not a member. */
  leave(orgId: string, userId: string): Promise<void>;
}>;

export type MembersOptions = OrgChangeOptions &
  Readonly<{
    /** Runs in the transaction; answers the revoked keys. */
    revokeKeys(
      transaction: Queryable,
      keys: Readonly<{ accountId: string; userId: string }>,
    ): Promise<readonly Readonly<{ id: string }>[]>;
  }>;

export function createMembers(options: MembersOptions): Members {
  const { database } = options;
  return {
    memberOf: (orgId, userId) => store.findMembership(database, orgId, userId),
    async hold(transaction, orgId, userId) {
      await holdOrganization(transaction, orgId);
      return store.findMembership(transaction, orgId, userId);
    },
    list: (orgId, onlyTeamId) => store.listMembers(database, orgId, onlyTeamId),
    add: (orgId, member, authority) => addMember(options, orgId, member, authority),
    change: (orgId, memberId, change, authority) => changeMember(options, { orgId, memberId, change, authority }),
    async remove(orgId, memberId, authority) {
      const end = async (transaction: Queryable): Promise<MemberDetail> => {
        const member = await managedMember(transaction, orgId, memberId, authority);
        await endMembership(options, transaction, { orgId, member, actor: authority.actor });
        return member;
      };
      await changeUnderLock(options, orgId, end, whoseMember);
    },
    place: (orgId, arrival) => placeMember(options, orgId, arrival),
    leave: (orgId, userId) => {
      const leave = async (transaction: Queryable): Promise<void> => {
        const membership = await store.findMembership(transaction, orgId, userId);
        // For a person who is no member the organization does not exist.
        if (membership === null) throw orgNotFound();
        const member = await knownMember(transaction, orgId, membership.memberId);
        await endMembership(options, transaction, { orgId, member, actor: { userId, keyId: null, kind: 'user' } });
      };
      return changeUnderLock(options, orgId, leave, () => [userId]);
    },
  };
}

function addMember(
  options: MembersOptions,
  orgId: string,
  { emailNormalized, role, teamId, monthlyBudgetNanoUsd }: NewMember,
  { actor, onlyTeamId }: Authority,
): Promise<MemberDetail | null> {
  const add = async (transaction: Queryable, organization: OrganizationRow): Promise<MemberDetail | null> => {
    if (!addsDirectly(organization, emailNormalized)) return null;
    if (onlyTeamId !== null) {
      if (role !== 'member' || (teamId ?? onlyTeamId) !== onlyTeamId) throw notYourTeam();
      refuseTeamAdmins(organization);
    }
    const place = { role, teamId: teamId ?? onlyTeamId, monthlyBudgetNanoUsd };
    await refusePlace(transaction, orgId, place);
    const userId = await store.findPersonByEmail(transaction, emailNormalized);
    if (userId === null) throw new ApiError('http_404', 'email: there is no account with this address.');
    await refuseBarred(transaction, orgId, userId);
    const joined = await join(transaction, organization, { ...place, userId, emailNormalized });
    await options.record(transaction, memberAdded(orgId, joined, actor));
    return joined;
  };
  return changeUnderLock(options, orgId, add, whoseMember);
}

const whoseMember = (member: MemberDetail | null): readonly string[] => (member === null ? [] : [member.userId]);

const BY_ISSUER: AuditActor = { userId: null, keyId: null, kind: 'system' };

/** People sign in all day, and nearly always nothing changes: then no caller is looked up again. */
async function placeMember(options: MembersOptions, orgId: string, arrival: Arrival): Promise<void> {
  const { userId, emailNormalized } = arrival;
  const arrive = async (transaction: Queryable, organization: OrganizationRow): Promise<'changed' | 'same'> => {
    // An issuer may still know a person whom the organization's directory has removed, even a moment ago.
    await refuseBarred(transaction, orgId, userId);
    const membership = await store.findMembership(transaction, orgId, userId);
    const team = arrival.teamId === undefined ? null : await findTeam(transaction, orgId, arrival.teamId);
    const teamId = team === null ? (membership?.teamId ?? null) : (arrival.teamId ?? null);
    const wish = arrival.role ?? membership?.role ?? 'member';
    const role = wish === 'team_admin' && teamId === null ? 'member' : wish;
    if (membership === null) {
      const place = { role, teamId, monthlyBudgetNanoUsd: undefined };
      const joined = await join(transaction, organization, { ...place, userId, emailNormalized });
      await options.record(transaction, memberAdded(orgId, joined, BY_ISSUER));
      return 'changed';
    }
    const member = await knownMember(transaction, orgId, membership.memberId);
    // The last administrator keeps the role, whatever the issuer says.
    const isLast = role !== 'org_admin' && (await store.isLastAdmin(transaction, orgId, member));
    const changed = { ...member, role: isLast ? member.role : role, teamId };
    const entry = difference(logged(member), logged(changed));
    if (entry === null) return 'same';
    await store.changeMember(transaction, orgId, changed);
    const change = { orgId, action: 'org_member.update', actor: BY_ISSUER };
    await options.record(transaction, { ...change, ...targetOf(member), ...entry });
    return 'changed';
  };
  await changeUnderLock(options, orgId, arrive, (outcome) => (outcome === 'changed' ? [userId] : []));
}

type ChangeInput = Readonly<{ orgId: string; memberId: string; change: MemberChange; authority: Authority }>;

function changeMember(
  options: MembersOptions,
  { orgId, memberId, change, authority }: ChangeInput,
): Promise<MemberDetail> {
  const apply = async (transaction: Queryable): Promise<MemberDetail> => {
    const member = await managedMember(transaction, orgId, memberId, authority);
    const place = {
      role: change.role ?? member.role,
      teamId: change.teamId === undefined ? member.teamId : change.teamId,
      monthlyBudgetNanoUsd:
        change.monthlyBudgetNanoUsd === undefined ? member.monthlyBudgetNanoUsd : change.monthlyBudgetNanoUsd,
    };
    const { onlyTeamId } = authority;
    if (onlyTeamId !== null && (place.role !== 'member' || place.teamId !== onlyTeamId)) throw notYourTeam();
    await refusePlace(transaction, orgId, place);
    if (place.role !== 'org_admin') await refuseLastAdmin(transaction, orgId, member);
    await store.changeMember(transaction, orgId, { id: memberId, ...place });
    const changed = await knownMember(transaction, orgId, memberId);
    const entry = difference(logged(member), logged(changed));
    if (entry !== null) {
      const { actor } = authority;
      await options.record(transaction, { orgId, action: 'org_member.update', actor, ...targetOf(member), ...entry });
    }
    return changed;
  };
  return changeUnderLock(options, orgId, apply, whoseMember);
}

type Ending = Readonly<{ orgId: string; member: MemberDetail; actor: AuditActor }>;

/** Runs under the organization's lock. */
export async function endMembership(
  { revokeKeys, record }: MembersOptions,
  transaction: Queryable,
  { orgId, member, actor }: Ending,
): Promise<void> {
  await refuseLastAdmin(transaction, orgId, member);
  const keys = await revokeKeys(transaction, { accountId: orgId, userId: member.userId });
  await store.deleteMember(transaction, orgId, member.id);
  const before = { ...logged(member), revokedKeyIds: keys.map(({ id }) => id) };
  const action = actor.userId === member.userId ? 'org_member.leave' : 'org_member.remove';
  await record(transaction, { orgId, action, actor, ...targetOf(member), before });
}

/**
 * An organization may add people directly only if the operator vouches for it or it has confirmed their domain; its
 * founder alone cannot make others belong to it.
 */
function addsDirectly(
  { isVouched, memberDomains, confirmedDomains }: OrganizationRow,
  emailNormalized: string,
): boolean {
  const domain = emailNormalized.slice(emailNormalized.lastIndexOf('@') + 1);
  if (confirmedDomains.includes(domain)) return true;
  return isVouched && (memberDomains.length === 0 || memberDomains.includes(domain));
}

/** A team's administrator manages the plain members of that team, and no administrators. */
async function managedMember(
  transaction: Queryable,
  orgId: string,
  memberId: string,
  { onlyTeamId }: Authority,
): Promise<MemberDetail> {
  const member = await knownMember(transaction, orgId, memberId);
  if (onlyTeamId === null || (member.teamId === onlyTeamId && member.role === 'member')) return member;
  throw notYourTeam();
}

async function knownMember(queryable: Queryable, orgId: string, memberId: string): Promise<MemberDetail> {
  const member = await store.findMember(queryable, orgId, memberId);
  if (member === null) throw memberNotFound();
  return member;
}

async function refuseLastAdmin(transaction: Queryable, orgId: string, member: MemberDetail): Promise<void> {
  if (!(await store.isLastAdmin(transaction, orgId, member))) return;
  throw new ApiError(
    'http_400',
    'An organization must keep an org_admin, and this is the last one. Make another member one first.',
  );
}

/** The log entry for a new member. */
export const memberAdded = (orgId: string, joined: MemberDetail, actor: AuditActor) => ({
  orgId,
  action: 'org_member.add',
  actor,
  ...targetOf(joined),
  after: logged(joined),
});

const targetOf = ({ id }: MemberDetail) => ({ targetType: 'org_member', targetId: id });

const logged = ({ userId, role, teamId, monthlyBudgetNanoUsd }: MemberDetail) => ({
  userId,
  role,
  teamId,
  monthlyBudget: budgetNumber(monthlyBudgetNanoUsd),
});
