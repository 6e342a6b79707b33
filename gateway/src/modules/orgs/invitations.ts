// Invitations by mail, for people who may not have an account yet. The link's token is mailed and not stored; only its
// hash is. It works once, for seven days, and only for the account with the invited address.

import { createHash, randomBytes } from 'node:crypto';
import type { AuditActor } from '../../canonical/audit-entry.ts';
import { DAY_MS } from '../../canonical/calendar.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import type { Mailer } from '../../platform/mail/mailer.ts';
import { type Authority, budgetNumber, changeUnderLock, NOBODY, notYourTeam, type OrgChangeOptions } from './change.ts';
import { invitationMail } from './invitation-mail.ts';
import { join, type Place, refuseBarred, refusePlace, refuseTeamAdmins } from './join.ts';
import { readSettings } from './settings.ts';
import * as store from './store/invitations.ts';
import { findMembership, findPersonByEmail, type MemberRow } from './store/members.ts';
import type { OrganizationRow } from './store/organizations.ts';

const VALID_DAYS = 7;
/** Too long to be guessed, and short enough that mail programs do not break the link. */
const TOKEN_BYTES = 18;
/** In a day. One organization must not spoil the reputation of our mail address, nor flood a mailbox. */
const SENT_MAX = { ofOrg: 200, ofPerson: 200, toMailbox: 5 };
/**
 * Anybody can found organizations and invite any address in each. From all of them together a mailbox gets one mail in
 * this time; further invitations wait in the console.
 */
const STRANGERS_MAIL_MS = 7 * DAY_MS;

export type Invitation = store.InvitationRow;

/** The default for new members is that of the moment at which the invitation is sent. */
type NewInvitation = Place & Readonly<{ email: string; emailNormalized: string }>;

type Acceptance = Readonly<{ orgId: string; orgName: string; member: MemberRow }>;

/** By the mailed token, or by the id of an invitation that was shown to the person. */
type InvitationKey = Readonly<{ token: string }> | Readonly<{ id: string }>;

export type Invitations = Readonly<{
  list(orgId: string, onlyTeamId: string | null): Promise<readonly Invitation[]>;
  /** 409 for a member, and for an address with an open invitation. */
  create(orgId: string, invitation: NewInvitation, authority: Authority): Promise<Invitation>;
  withdraw(orgId: string, invitationId: string, authority: Authority): Promise<void>;
  /** What the holder of the link may see before signing in; null for a token that cannot be used. */
  preview(token: string): Promise<Invitation | null>;
  /** The invitations that a person could accept now, whether or not a mail was sent. */
  listForPerson(userId: string): Promise<readonly Invitation[]>;
  /**
   * The person becomes a member. 404 for an invitation that cannot be used, 403 for an account with another address and
   * for a person whom the organization's directory has deactivated.
   */
  accept(key: InvitationKey, userId: string): Promise<Acceptance>;
  /** 404 for an invitation of another person. */
  decline(invitationId: string, userId: string): Promise<void>;
}>;

export type InvitationsOptions = OrgChangeOptions &
  Readonly<{
    mailer: Mailer;
    clock: Clock;
    /** Where the console shows the page for this token. */
    linkOf(token: string): string;
  }>;

export function createInvitations(options: InvitationsOptions): Invitations {
  const { database, clock } = options;
  return {
    list: (orgId, onlyTeamId) => store.listInvitations(database, orgId, onlyTeamId),
    create: (orgId, invitation, authority) => {
      const create = (transaction: Queryable, organization: OrganizationRow) =>
        invite(options, { transaction, organization, invitation, authority });
      return changeUnderLock(options, orgId, create, NOBODY);
    },
    withdraw: (orgId, invitationId, authority) => withdraw(options, orgId, invitationId, authority),
    preview: (token) => store.findByToken(database, hashOf(token), clock.nowMs()),
    listForPerson: (userId) => store.listForPerson(database, userId, clock.nowMs()),
    accept: (key, userId) => accept(options, key, userId),
    decline: (invitationId, userId) => decline(options, invitationId, userId),
  };
}

type Inviting = Readonly<{
  transaction: Queryable;
  organization: OrganizationRow;
  invitation: NewInvitation;
  authority: Authority;
}>;

async function invite(options: InvitationsOptions, inviting: Inviting): Promise<Invitation> {
  const { transaction, organization, invitation, authority } = inviting;
  const { id: orgId } = organization;
  const nowMs = options.clock.nowMs();
  const teamId = invitation.teamId ?? authority.onlyTeamId;
  const isMailed = await mayMail({ ...inviting, invitation: { ...invitation, teamId } }, nowMs);
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const id = newId('inv');
  const given = invitation.monthlyBudgetNanoUsd;
  const settings = readSettings(organization.settings);
  await store.insertInvitation(transaction, {
    ...invitation,
    monthlyBudgetNanoUsd: given === undefined ? settings.defaultMemberBudgetNanoUsd : given,
    id,
    orgId,
    teamId,
    tokenHash: hashOf(token),
    invitedByUserId: authority.actor.userId,
    createdAt: new Date(nowMs),
    expiresAt: new Date(nowMs + VALID_DAYS * DAY_MS),
    isMailed,
  });
  const created = await knownInvitation(transaction, orgId, id);
  const { email: to, orgName, invitedByName: inviterName } = created;
  const letter = { to, orgName, inviterName, link: options.linkOf(token), validDays: VALID_DAYS };
  if (isMailed) await options.mailer.send(invitationMail(letter), transaction);
  const entry = { orgId, action: 'org.invitation.create', actor: authority.actor, ...targetOf(created) };
  await options.record(transaction, { ...entry, after: logged(created) });
  return created;
}

/**
 * Refuses invitations that must not be sent, and decides whether the others get a mail. The inviter is not told,
 * because that would show whether others have invited the same person.
 */
async function mayMail(
  { transaction, organization, invitation, authority }: Inviting,
  nowMs: number,
): Promise<boolean> {
  const { id: orgId } = organization;
  const { role, teamId, emailNormalized } = invitation;
  const { onlyTeamId, actor } = authority;
  if (onlyTeamId !== null) {
    if (role !== 'member' || teamId !== onlyTeamId) throw notYourTeam();
    refuseTeamAdmins(organization);
  }
  await refusePlace(transaction, orgId, invitation);
  const userId = await findPersonByEmail(transaction, emailNormalized);
  if (userId !== null && (await findMembership(transaction, orgId, userId)) !== null) {
    throw new ApiError('http_409', 'This person is a member of the organization already.');
  }
  const earlier = await store.findByEmail(transaction, orgId, emailNormalized);
  if (earlier !== null && earlier.expiresAt.getTime() > nowMs) {
    throw new ApiError('http_409', 'This address has an invitation already. Withdraw it to send another.');
  }
  if (earlier !== null) await store.endInvitation(transaction, { orgId, id: earlier.id, outcome: 'replaced' });
  const sent = { orgId, userId: actor.userId, emailNormalized, sinceMs: nowMs - DAY_MS };
  const { ofOrg, ofPerson, toMailbox } = await store.countRecent(transaction, sent);
  if (ofOrg >= SENT_MAX.ofOrg || ofPerson >= SENT_MAX.ofPerson) {
    throw new ApiError('http_429', 'Too many invitations were sent in a day. Try again tomorrow.', {
      isTerminal: true,
    });
  }
  if (organization.isVouched) return toMailbox < SENT_MAX.toMailbox;
  const mailedAt = await store.lastMailedAt(transaction, emailNormalized);
  return mailedAt === null || mailedAt.getTime() <= nowMs - STRANGERS_MAIL_MS;
}

function withdraw(options: InvitationsOptions, orgId: string, id: string, authority: Authority): Promise<void> {
  const end = async (transaction: Queryable): Promise<void> => {
    const invitation = await knownInvitation(transaction, orgId, id);
    if (authority.onlyTeamId !== null && invitation.teamId !== authority.onlyTeamId) throw notYourTeam();
    await store.endInvitation(transaction, { orgId, id, outcome: 'withdrawn' });
    const entry = { orgId, action: 'org.invitation.withdraw', actor: authority.actor, ...targetOf(invitation) };
    await options.record(transaction, { ...entry, before: logged(invitation) });
  };
  return changeUnderLock(options, orgId, end, NOBODY);
}

async function accept(options: InvitationsOptions, key: InvitationKey, userId: string): Promise<Acceptance> {
  const find = (queryable: Queryable) => findUsable(queryable, key, userId, options.clock.nowMs());
  const found = await find(options.database);
  if (found === null) throw unusable();
  const enter = async (transaction: Queryable, organization: OrganizationRow): Promise<Acceptance> => {
    // Two people may have the same link: the second to get the lock finds it used.
    const invitation = await find(transaction);
    if (invitation === null) throw unusable();
    const { id, orgId, orgName, emailNormalized, teamId, monthlyBudgetNanoUsd } = invitation;
    if ((await store.findAddress(transaction, userId)) !== emailNormalized) {
      throw new ApiError('http_403', 'This invitation was sent to another address. Sign in with that one.');
    }
    await refuseBarred(transaction, orgId, userId);
    // The team may be gone by now, and its administrator would have nothing to administer.
    const role = invitation.role === 'team_admin' && teamId === null ? 'member' : invitation.role;
    await store.endInvitation(transaction, { orgId, id, outcome: 'accepted' });
    const joining = { userId, emailNormalized, role, teamId, monthlyBudgetNanoUsd };
    const member = await join(transaction, organization, joining);
    const after = { ...logged(invitation), role, memberId: member.id };
    const entry = { orgId, action: 'org.invitation.accept', actor: personOf(userId), ...targetOf(invitation) };
    await options.record(transaction, { ...entry, after });
    return { orgId, orgName, member };
  };
  return changeUnderLock(options, found.orgId, enter, () => [userId]);
}

async function decline(options: InvitationsOptions, id: string, userId: string): Promise<void> {
  const find = (queryable: Queryable) => findUsable(queryable, { id }, userId, options.clock.nowMs());
  const found = await find(options.database);
  if (found === null) throw unusable();
  const { orgId } = found;
  const end = async (transaction: Queryable): Promise<void> => {
    const invitation = await find(transaction);
    if (invitation === null) throw unusable();
    await store.endInvitation(transaction, { orgId, id, outcome: 'declined' });
    const entry = { orgId, action: 'org.invitation.decline', actor: personOf(userId), ...targetOf(invitation) };
    await options.record(transaction, { ...entry, before: logged(invitation) });
  };
  await changeUnderLock(options, orgId, end, NOBODY);
}

async function findUsable(
  queryable: Queryable,
  key: InvitationKey,
  userId: string,
  nowMs: number,
): Promise<Invitation | null> {
  if ('token' in key) return store.findByToken(queryable, hashOf(key.token), nowMs);
  const own = await store.listForPerson(queryable, userId, nowMs);
  return own.find(({ id }) => id === key.id) ?? null;
}

const personOf = (userId: string): AuditActor => ({ userId, keyId: null, kind: 'user' });

async function knownInvitation(queryable: Queryable, orgId: string, id: string): Promise<Invitation> {
  const invitation = await store.findInvitation(queryable, orgId, id);
  if (invitation === null) throw new ApiError('http_404', 'There is no such invitation.');
  return invitation;
}

/** The same answer for a used, withdrawn, expired or unknown invitation. */
export const unusable = (): ApiError =>
  new ApiError('http_404', 'This invitation cannot be used: it is not valid, has been used, or has expired.');

/** The token is as random as a key, so a plain hash is enough. */
const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

const targetOf = ({ id }: Invitation) => ({ targetType: 'invitation', targetId: id });

const logged = ({ email, role, teamId, monthlyBudgetNanoUsd }: Invitation) => ({
  email,
  role,
  teamId,
  monthlyBudget: budgetNumber(monthlyBudgetNanoUsd),
});
