// The people in an organization's directory. A person who is active there becomes a member here, with a new account
// where there is none; a person who is not loses the membership, its keys and their sessions. A directory may only
// state addresses of confirmed domains, like an issuer.

import type { AuditActor } from '../../../canonical/audit-entry.ts';
import { ApiError } from '../../../errors/api-error.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Queryable } from '../../../platform/db/database.ts';
import { newId } from '../../../platform/ids.ts';
import { changeUnderLock } from '../change.ts';
import { join } from '../join.ts';
import { endMembership, type MembersOptions, memberAdded } from '../members.ts';
import { findAddress } from '../store/invitations.ts';
import { findMember, findMembership, findPersonByEmail } from '../store/members.ts';
import type { OrganizationRow } from '../store/organizations.ts';
import { leaveGroups, teamOfPerson } from '../store/provisioned-groups.ts';
import * as store from '../store/provisioned-people.ts';
import { invalidValue, isTaken, notFound } from './refusals.ts';

/** For each seat, deleted people included: how many accounts one directory can create. */
const PEOPLE_PER_SEAT_MAX = 10;
const NAME_LENGTH_MAX = 200;

export type Person = store.PersonRow;
export type PersonFields = store.PersonFields;

export type ProvisionedPeople = Readonly<{
  find(orgId: string, id: string): Promise<Person | null>;
  list(
    orgId: string,
    filter: store.PeopleFilter,
    span: store.ListSpan,
  ): Promise<Readonly<{ people: readonly Person[]; total: number }>>;
  create(orgId: string, fields: PersonFields): Promise<Person>;
  /** Applies `next` to the person as they are; 404 for an unknown one. */
  change(orgId: string, id: string, next: (person: Person) => PersonFields): Promise<Person>;
  remove(orgId: string, id: string): Promise<void>;
}>;

type Account = Readonly<{ email: string; name: string }>;

export type PeopleOptions = MembersOptions &
  Readonly<{
    clock: Clock;
    /** Creates a user with an account; answers its id. */
    openAccount(transaction: Queryable, account: Account): Promise<string>;
    /** False when the address belongs to another user. */
    changeAccount(transaction: Queryable, userId: string, account: Account): Promise<boolean>;
    endSessions(transaction: Queryable, userId: string): Promise<void>;
    /** Called after the commit. */
    announceSessions(userId: string): Promise<void>;
  }>;

export const BY_DIRECTORY: AuditActor = { userId: null, keyId: null, kind: 'system' };

export function createPeople(options: PeopleOptions): ProvisionedPeople {
  const { database, clock } = options;
  const found = async (queryable: Queryable, orgId: string, id: string): Promise<Person> => {
    const person = await store.findPerson(queryable, orgId, id);
    if (person === null) throw notFound('user');
    return person;
  };
  const change = async (orgId: string, id: string, next: (person: Person) => Changed): Promise<Person> => {
    const apply = async (transaction: Queryable, organization: OrganizationRow): Promise<Person> => {
      const before = await found(transaction, orgId, id);
      const after = { ...before, ...next(before), changedAt: new Date(clock.nowMs()) };
      return settle(options, transaction, { organization, before, after });
    };
    const person = await changeUnderLock(options, orgId, apply, whosePerson);
    if (!person.isActive && person.userId !== null) await options.announceSessions(person.userId);
    return person;
  };
  return {
    find: (orgId, id) => store.findPerson(database, orgId, id),
    async list(orgId, filter, span) {
      const total = await store.countPeople(database, orgId, filter);
      return { total, people: span.limit === 0 ? [] : await store.listPeople(database, orgId, filter, span) };
    },
    create: (orgId, fields) => {
      const create = async (transaction: Queryable, organization: OrganizationRow): Promise<Person> => {
        const now = new Date(clock.nowMs());
        const fresh = { id: newId('scu'), userId: null, hasOpenedAccount: false, createdAt: now };
        const earlier = await store.findTaken(transaction, orgId, { ...fresh, ...fields });
        if (earlier !== null && earlier.deletedAt === null) throw isTaken('user');
        if (earlier === null && (await store.countEverybody(transaction, orgId)) >= roomIn(organization)) {
          throw new ApiError(
            'http_409',
            'The directory has sent more people than there is room for. Ask the operator.',
          );
        }
        const after = { ...(earlier ?? fresh), ...fields, changedAt: now, deletedAt: null };
        return settle(options, transaction, { organization, before: null, after });
      };
      return changeUnderLock(options, orgId, create, whosePerson);
    },
    change,
    async remove(orgId, id) {
      await change(orgId, id, (person) => ({ ...person, isActive: false, deletedAt: new Date(clock.nowMs()) }));
    },
  };
}

const whosePerson = ({ userId }: Person): readonly string[] => (userId === null ? [] : [userId]);

type Changed = PersonFields & Partial<Pick<Person, 'deletedAt'>>;
type Settling = Readonly<{ organization: OrganizationRow; before: Person | null; after: Person }>;

const roomIn = ({ seats }: OrganizationRow): number => seats * PEOPLE_PER_SEAT_MAX;

/** Brings account and membership in line with the directory, in the transaction that stores what it said. */
async function settle(
  options: PeopleOptions,
  transaction: Queryable,
  { organization, before, after }: Settling,
): Promise<Person> {
  const { id: orgId } = organization;
  const hasNewAddress = before?.emailNormalized !== after.emailNormalized;
  if (before !== null && (hasNewAddress || before.userName !== after.userName)) {
    if ((await store.findTaken(transaction, orgId, after)) !== null) throw isTaken('user');
  }
  if (hasNewAddress || (after.isActive && before?.isActive !== true)) {
    refuseForeign(organization, after.emailNormalized);
    await refuseForeignAccount(transaction, organization, after);
  }
  const person = after.isActive ? await withAccount(options, transaction, { organization, before, after }) : after;
  await store.putPerson(transaction, orgId, person);
  if (person.deletedAt !== null) await leaveGroups(transaction, orgId, person.id);
  if (person.isActive) await enter(options, transaction, organization, person);
  else if (person.userId !== null) await leave(options, transaction, organization, person.userId);
  return person;
}

const domainOf = (emailNormalized: string): string => emailNormalized.slice(emailNormalized.lastIndexOf('@') + 1);

function refuseForeign({ confirmedDomains }: OrganizationRow, emailNormalized: string): void {
  const domain = domainOf(emailNormalized);
  if (confirmedDomains.includes(domain)) return;
  throw invalidValue(`The address is of ${domain}, which is no confirmed domain of the organization.`);
}

/** The account that a person was given may have an address of a domain that the organization has given up since. */
async function refuseForeignAccount(
  transaction: Queryable,
  organization: OrganizationRow,
  { userId }: Person,
): Promise<void> {
  const address = userId === null ? null : await findAddress(transaction, userId);
  if (address !== null) refuseForeign(organization, address);
}

/**
 * The account with the address. An account that was opened for the directory follows it; one that the person had before
 * stays as it is.
 */
async function withAccount(
  { openAccount, changeAccount }: PeopleOptions,
  transaction: Queryable,
  { organization, before, after }: Settling,
): Promise<Person> {
  const account = { email: after.email ?? after.userName, name: nameOf(after) };
  if (after.userId === null) {
    const known = await findPersonByEmail(transaction, after.emailNormalized);
    if (known !== null) return { ...after, userId: known };
    return { ...after, userId: await openAccount(transaction, account), hasOpenedAccount: true };
  }
  const isSame = before?.emailNormalized === after.emailNormalized && nameOf(before) === account.name;
  if (!after.hasOpenedAccount || isSame) return after;
  await refuseForeignAccount(transaction, organization, after);
  if (!(await changeAccount(transaction, after.userId, account))) throw isTaken('user');
  return after;
}

function nameOf({ displayName, formattedName, givenName, familyName, userName }: Person): string {
  const whole = displayName ?? formattedName ?? [givenName, familyName].filter((part) => part !== null).join(' ');
  const plain = whole.replace(/\p{C}+/gu, ' ').trim();
  return (plain === '' ? userName : plain).slice(0, NAME_LENGTH_MAX);
}

async function enter(
  options: PeopleOptions,
  transaction: Queryable,
  organization: OrganizationRow,
  { id, userId, emailNormalized }: Person,
): Promise<void> {
  if (userId === null || (await findMembership(transaction, organization.id, userId)) !== null) return;
  const teamId = await teamOfPerson(transaction, organization.id, id);
  const place = { role: 'member', teamId, monthlyBudgetNanoUsd: undefined } as const;
  const joined = await join(transaction, organization, { ...place, userId, emailNormalized });
  await options.record(transaction, memberAdded(organization.id, joined, BY_DIRECTORY));
}

/** Signs out whoever belonged to the organization, or has an address of its domains; nobody else. */
async function leave(
  options: PeopleOptions,
  transaction: Queryable,
  { id: orgId, confirmedDomains }: OrganizationRow,
  userId: string,
): Promise<void> {
  const membership = await findMembership(transaction, orgId, userId);
  const member = membership === null ? null : await findMember(transaction, orgId, membership.memberId);
  const address = (await findAddress(transaction, userId)) ?? '';
  if (member !== null || confirmedDomains.includes(domainOf(address))) await options.endSessions(transaction, userId);
  if (member !== null) await endMembership(options, transaction, { orgId, member, actor: BY_DIRECTORY });
}
