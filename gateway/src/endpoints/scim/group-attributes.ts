// Converts a group between what a directory sends and what is stored. Members are added and removed by a list of
// values, or removed by a filter in the path.

import { isJsonObject } from '../../canonical/json.ts';
import { MEMBERS_MAX, type ScimGroupBody } from '../../contract/scim.ts';
import type { GroupFields } from '../../modules/orgs/provisioning/groups.ts';
import { invalidValue } from '../../modules/orgs/provisioning/refusals.ts';
import type { PatchOperation } from './operations.ts';

const NAME = /^(?=.*\S)[^\p{Cc}]{1,100}$/u;
const EXTERNAL_ID_LENGTH_MAX = 200;

export const groupFieldsIn = ({ displayName, externalId, members }: ScimGroupBody): GroupFields => ({
  displayName: displayName.trim(),
  externalId: externalId ?? null,
  memberIds: idsIn(members ?? []),
});

export const patchedGroup =
  (operations: readonly PatchOperation[]) =>
  (group: GroupFields): GroupFields =>
    operations.reduce(applied, group);

function applied(group: GroupFields, operation: PatchOperation): GroupFields {
  const { kind, attribute, value } = operation;
  switch (attribute) {
    case 'displayname':
      return { ...group, displayName: nameOf(kind === 'remove' ? null : value) };
    case 'externalid':
      return { ...group, externalId: externalIdOf(kind === 'remove' ? null : value) };
    case 'members':
      return { ...group, memberIds: membersAfter(group.memberIds, operation) };
    default:
      return group;
  }
}

function membersAfter(before: ReadonlySet<string>, { kind, which, value }: PatchOperation): ReadonlySet<string> {
  if (kind === 'remove') {
    if (which === null && (value === undefined || value === null)) return new Set();
    const removed = which === null ? idsIn(value) : new Set([which.value]);
    return new Set([...before].filter((id) => !removed.has(id)));
  }
  const after = kind === 'add' ? new Set([...before, ...idsIn(value)]) : idsIn(value);
  if (after.size > MEMBERS_MAX) throw invalidValue(`members: there can be ${MEMBERS_MAX} at most.`);
  return after;
}

function idsIn(members: unknown): ReadonlySet<string> {
  const ids = [members].flat().map((member) => (isJsonObject(member) ? member.value : member));
  if (ids.every((id) => typeof id === 'string')) return new Set(ids);
  throw invalidValue('members: must be a list of objects with the id of a user as value.');
}

function nameOf(value: unknown): string {
  if (typeof value === 'string' && NAME.test(value.trim())) return value.trim();
  throw invalidValue('displayName: must be text of 1 to 100 characters.');
}

function externalIdOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' && value.length <= EXTERNAL_ID_LENGTH_MAX) return value;
  throw invalidValue(`externalId: must be text of up to ${EXTERNAL_ID_LENGTH_MAX} characters.`);
}
