// The groups of an organization's directory. A group is a team: a team of the same name is taken over, otherwise one is
// made and removed with the group. A member is in one team, so a person in several groups is in the team of the group
// that came last.

import { ApiError } from '../../../errors/api-error.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Queryable } from '../../../platform/db/database.ts';
import { newId } from '../../../platform/ids.ts';
import { changeUnderLock } from '../change.ts';
import type { OrganizationRow } from '../store/organizations.ts';
import * as store from '../store/provisioned-groups.ts';
import type { ListSpan } from '../store/provisioned-people.ts';
import { addTeam, changeTeamIn, NEW_TEAM, removeTeam, type TeamsOptions } from '../teams.ts';
import { BY_DIRECTORY } from './people.ts';
import { invalidValue, isTaken, notFound } from './refusals.ts';

const GROUPS_MAX = 1_000;
/** For each seat, in all groups together: what a list of groups can return. */
const MEMBERS_PER_SEAT_MAX = 20;
const MOVES_LOGGED_MAX = 200;
/** Of more people at once not each is announced to the other processes; then all of the organization are. */
const MOVES_ANNOUNCED_MAX = 100;

export type Group = store.GroupRow & Readonly<{ members: readonly store.GroupMemberRow[] }>;

export type GroupFields = Readonly<{ displayName: string; externalId: string | null; memberIds: ReadonlySet<string> }>;

export type ProvisionedGroups = Readonly<{
  find(orgId: string, id: string): Promise<Group | null>;
  /** Without members where they are not wanted. */
  list(
    orgId: string,
    filter: store.GroupFilter,
    span: ListSpan & Readonly<{ hasMembers: boolean }>,
  ): Promise<Readonly<{ groups: readonly Group[]; total: number }>>;
  create(orgId: string, fields: GroupFields): Promise<Group>;
  change(orgId: string, id: string, next: (group: GroupFields) => GroupFields): Promise<Group>;
  remove(orgId: string, id: string): Promise<void>;
}>;

export type GroupsOptions = TeamsOptions & Readonly<{ clock: Clock }>;

export function createGroups(options: GroupsOptions): ProvisionedGroups {
  const { database, clock } = options;
  return {
    async find(orgId, id) {
      const row = await store.findGroup(database, orgId, id);
      return row === null ? null : withMembers(database, orgId, row);
    },
    async list(orgId, filter, { hasMembers, ...span }) {
      const total = await store.countGroups(database, orgId, filter);
      const rows = span.limit === 0 ? [] : await store.listGroups(database, orgId, filter, span);
      const ids = hasMembers ? rows.map(({ id }) => id) : [];
      const members = new Map<string, store.GroupMemberRow[]>(rows.map(({ id }) => [id, []]));
      for (const one of await store.listGroupMembers(database, orgId, ids)) members.get(one.groupId)?.push(one);
      return { total, groups: rows.map((row) => ({ ...row, members: members.get(row.id) ?? [] })) };
    },
    async create(orgId, fields) {
      const create = async (transaction: Queryable, organization: OrganizationRow): Promise<Arranged> => {
        const { id } = await openGroup(options, transaction, orgId, fields);
        const members = { before: new Set<string>(), after: fields.memberIds };
        return setMembers(options, transaction, { organization, groupId: id, ...members });
      };
      return (await changeUnderLock(options, orgId, create, whoseMoved(orgId))).group;
    },
    async change(orgId, id, next) {
      const apply = async (transaction: Queryable, organization: OrganizationRow): Promise<Arranged> => {
        const group = await known(transaction, orgId, id);
        const before = { ...group, memberIds: new Set(group.members.map(({ personId }) => personId)) };
        const after = next(before);
        if (after.displayName !== group.displayName) {
          if ((await store.findNamedTeam(transaction, orgId, after.displayName)) !== null) throw isTaken('group');
          const authority = { actor: BY_DIRECTORY, onlyTeamId: null };
          const change = { name: after.displayName };
          await changeTeamIn(options, transaction, { orgId, teamId: group.teamId, change, authority });
        }
        const changedAt = new Date(clock.nowMs());
        await store.changeGroup(transaction, orgId, { id, externalId: after.externalId, changedAt });
        const members = { before: before.memberIds, after: after.memberIds };
        return setMembers(options, transaction, { organization, groupId: id, ...members });
      };
      return (await changeUnderLock(options, orgId, apply, whoseMoved(orgId))).group;
    },
    remove: (orgId, id) =>
      changeUnderLock(options, orgId, async (transaction) => {
        const { teamId, hasOpenedTeam, members } = await known(transaction, orgId, id);
        if (hasOpenedTeam) await removeTeam(options, transaction, { orgId, teamId, actor: BY_DIRECTORY });
        else await store.deleteGroup(transaction, orgId, id);
        const personIds = members.map(({ personId }) => personId);
        await place(options, transaction, { orgId, teamId, personIds });
      }),
  };
}

/** A group, and the people whom it has moved to another team. */
type Arranged = Readonly<{ group: Group; movedUserIds: readonly string[] }>;

const whoseMoved =
  (orgId: string) =>
  ({ movedUserIds }: Arranged): readonly string[] =>
    movedUserIds.length > MOVES_ANNOUNCED_MAX ? [orgId] : movedUserIds;

async function withMembers(queryable: Queryable, orgId: string, row: store.GroupRow): Promise<Group> {
  return { ...row, members: await store.listGroupMembers(queryable, orgId, [row.id]) };
}

async function known(queryable: Queryable, orgId: string, id: string): Promise<Group> {
  const row = await store.findGroup(queryable, orgId, id);
  if (row === null) throw notFound('group');
  return withMembers(queryable, orgId, row);
}

async function openGroup(
  options: GroupsOptions,
  transaction: Queryable,
  orgId: string,
  { displayName, externalId }: GroupFields,
): Promise<Readonly<{ id: string }>> {
  const everything = { displayName: null, externalId: null, id: null, memberId: null };
  if ((await store.countGroups(transaction, orgId, everything)) >= GROUPS_MAX) {
    throw new ApiError('http_409', `There can be ${GROUPS_MAX} groups at most. Assign fewer of them.`);
  }
  const namesake = await store.findNamedTeam(transaction, orgId, displayName);
  if (namesake?.groupId != null) throw isTaken('group');
  const fields = { ...NEW_TEAM, name: displayName };
  const teamId = namesake?.teamId ?? (await addTeam(options, transaction, { orgId, fields, actor: BY_DIRECTORY })).id;
  const id = newId('scg');
  const createdAt = new Date(options.clock.nowMs());
  await store.insertGroup(transaction, orgId, { id, teamId, externalId, hasOpenedTeam: namesake === null, createdAt });
  return { id };
}

type NewMembers = Readonly<{
  organization: OrganizationRow;
  groupId: string;
  before: ReadonlySet<string>;
  after: ReadonlySet<string>;
}>;

async function setMembers(
  options: GroupsOptions,
  transaction: Queryable,
  { organization: { id: orgId, seats }, groupId, before, after }: NewMembers,
): Promise<Arranged> {
  const added = [...after].filter((id) => !before.has(id));
  const removed = [...before].filter((id) => !after.has(id));
  if (removed.length > 0) await store.removeGroupMembers(transaction, orgId, { groupId, personIds: removed });
  if (added.length > 0) {
    if ((await store.addGroupMembers(transaction, orgId, { groupId, personIds: added })) < added.length) {
      throw invalidValue('members: somebody among them is no user of this directory.');
    }
    if ((await store.countGroupMembers(transaction, orgId)) > seats * MEMBERS_PER_SEAT_MAX) {
      throw new ApiError('http_409', 'The groups hold more members than there is room for. Ask the operator.');
    }
  }
  const group = await known(transaction, orgId, groupId);
  const personIds = [...added, ...removed];
  return { group, movedUserIds: await place(options, transaction, { orgId, teamId: group.teamId, personIds }) };
}

type Placing = Readonly<{ orgId: string; teamId: string; personIds: readonly string[] }>;

/** One log entry for all of them, because a directory moves thousands at once. Answers who was moved. */
async function place(
  { record }: GroupsOptions,
  transaction: Queryable,
  { orgId, teamId, personIds }: Placing,
): Promise<readonly string[]> {
  if (personIds.length === 0) return [];
  const moved = await store.placePeople(transaction, orgId, personIds);
  if (moved.length === 0) return [];
  const members = moved.slice(0, MOVES_LOGGED_MAX).map(({ userId: _, ...logged }) => logged);
  await record(transaction, {
    orgId,
    action: 'team.members.update',
    actor: BY_DIRECTORY,
    targetType: 'team',
    targetId: teamId,
    after: { count: moved.length, members },
  });
  return moved.map(({ userId }) => userId);
}
