// /scim/v2/Groups: the groups of an organization's directory, which are its teams.

import { ScimGroupBody, ScimPatchBody } from '../../contract/scim.ts';
import type { Exchange } from '../../http/exchange.ts';
import { sendEmpty } from '../../http/respond.ts';
import type { Group } from '../../modules/orgs/provisioning/groups.ts';
import { notFound } from '../../modules/orgs/provisioning/refusals.ts';
import type { DirectoryHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import {
  groupResource,
  listAnswer,
  onlyWanted,
  type ScimListing,
  scimBase,
  sendScim,
  wantedAttributes,
  windowOf,
} from './answers.ts';
import { parseFilter, wantedOf } from './filter.ts';
import { groupFieldsIn, patchedGroup } from './group-attributes.ts';
import { operationsIn } from './operations.ts';
import type { ScimServices } from './users.ts';

/** Each may have thousands of members. */
const PAGE_MAX = 100;

const FILTERED = {
  displayname: 'displayName',
  externalid: 'externalId',
  id: 'id',
  members: 'memberId',
  'members.value': 'memberId',
} as const;

/** Listed by the address, or searched by a body. */
export const listGroups =
  ({ provisioning, siteUrl }: ScimServices): ScimListing =>
  async (exchange, orgId, query) => {
    const window = windowOf(query, PAGE_MAX);
    const asked = wantedOf(parseFilter(query.get('filter')), FILTERED);
    if (asked === null) return sendScim(exchange, 200, listAnswer([], 0, window));
    const { displayName, externalId, id, memberId } = asked;
    const filter = {
      displayName: displayName ?? null,
      externalId: externalId ?? null,
      id: id ?? null,
      memberId: memberId ?? null,
    };
    const wanted = wantedAttributes(query);
    const span = { ...window, hasMembers: wanted('members') };
    const { groups, total } = await provisioning.groups.list(orgId, filter, span);
    const resources = groups.map((group) => onlyWanted(groupResource(group, scimBase(siteUrl())), wanted));
    sendScim(exchange, 200, listAnswer(resources, total, window));
  };

export const readGroup =
  (services: ScimServices): DirectoryHandler =>
  async (exchange, orgId) => {
    const group = await services.provisioning.groups.find(orgId, exchange.params.id ?? '');
    if (group === null) throw notFound('group');
    sendGroup(exchange, services, 200, group);
  };

export function createGroup(services: ScimServices): DirectoryHandler {
  const readBody = bodyReader(ScimGroupBody);
  return async (exchange, orgId) => {
    const group = await services.provisioning.groups.create(orgId, groupFieldsIn(await readBody(exchange)));
    sendGroup(exchange, services, 201, group);
  };
}

export function replaceGroup(services: ScimServices): DirectoryHandler {
  const readBody = bodyReader(ScimGroupBody);
  return async (exchange, orgId) => {
    const fields = groupFieldsIn(await readBody(exchange));
    const group = await services.provisioning.groups.change(orgId, exchange.params.id ?? '', () => fields);
    sendGroup(exchange, services, 200, group);
  };
}

/** The answer is empty, because a group with thousands of members is changed one member at a time. */
export function patchGroup({ provisioning }: ScimServices): DirectoryHandler {
  const readBody = bodyReader(ScimPatchBody);
  return async (exchange, orgId) => {
    const next = patchedGroup(operationsIn(await readBody(exchange)));
    await provisioning.groups.change(orgId, exchange.params.id ?? '', next);
    sendEmpty(exchange, 204);
  };
}

export const deleteGroup =
  ({ provisioning }: ScimServices): DirectoryHandler =>
  async (exchange, orgId) => {
    await provisioning.groups.remove(orgId, exchange.params.id ?? '');
    sendEmpty(exchange, 204);
  };

function sendGroup(exchange: Exchange, { siteUrl }: ScimServices, status: number, group: Group): void {
  const resource = groupResource(group, scimBase(siteUrl()));
  const shown = onlyWanted(resource, wantedAttributes(new URLSearchParams(exchange.queryText)));
  sendScim(exchange, status, shown, status === 201 ? ['Location', `${scimBase(siteUrl())}/Groups/${group.id}`] : []);
}
