// /scim/v2/Users: the people of an organization's directory.

import { ScimPatchBody, ScimUserBody } from '../../contract/scim.ts';
import type { Exchange } from '../../http/exchange.ts';
import { sendEmpty } from '../../http/respond.ts';
import { normalizeEmail } from '../../modules/identity/email.ts';
import type { OrgServices } from '../../modules/orgs/create-orgs.ts';
import type { Person } from '../../modules/orgs/provisioning/people.ts';
import { notFound } from '../../modules/orgs/provisioning/refusals.ts';
import type { DirectoryHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import {
  listAnswer,
  onlyWanted,
  type ScimListing,
  scimBase,
  sendScim,
  userResource,
  wantedAttributes,
  windowOf,
} from './answers.ts';
import { parseFilter, wantedOf } from './filter.ts';
import { operationsIn } from './operations.ts';
import { fieldsIn, patched } from './user-attributes.ts';

export type ScimServices = Pick<OrgServices, 'provisioning'> & Readonly<{ siteUrl(): string }>;

const PAGE_MAX = 200;

const FILTERED = {
  username: 'userName',
  externalid: 'externalId',
  id: 'id',
  emails: 'emailNormalized',
  'emails.value': 'emailNormalized',
} as const;

/** Listed by the address, or searched by a body. */
export const listUsers =
  ({ provisioning, siteUrl }: ScimServices): ScimListing =>
  async (exchange, orgId, query) => {
    const window = windowOf(query, PAGE_MAX);
    const asked = wantedOf(parseFilter(query.get('filter')), FILTERED);
    if (asked === null) return sendScim(exchange, 200, listAnswer([], 0, window));
    const { userName, externalId, id, emailNormalized } = asked;
    const filter = {
      userName: userName ?? null,
      externalId: externalId ?? null,
      id: id ?? null,
      emailNormalized: emailNormalized === undefined ? null : (normalizeEmail(emailNormalized) ?? ''),
    };
    const { people, total } = await provisioning.people.list(orgId, filter, window);
    const wanted = wantedAttributes(query);
    const resources = people.map((person) => onlyWanted(userResource(person, scimBase(siteUrl())), wanted));
    sendScim(exchange, 200, listAnswer(resources, total, window));
  };

export const readUser =
  (services: ScimServices): DirectoryHandler =>
  async (exchange, orgId) => {
    const person = await services.provisioning.people.find(orgId, exchange.params.id ?? '');
    if (person === null) throw notFound('user');
    sendUser(exchange, services, 200, person);
  };

export function createUser(services: ScimServices): DirectoryHandler {
  const readBody = bodyReader(ScimUserBody);
  return async (exchange, orgId) => {
    const person = await services.provisioning.people.create(orgId, fieldsIn(await readBody(exchange)));
    sendUser(exchange, services, 201, person);
  };
}

export function replaceUser(services: ScimServices): DirectoryHandler {
  const readBody = bodyReader(ScimUserBody);
  return async (exchange, orgId) => {
    const fields = fieldsIn(await readBody(exchange));
    const person = await services.provisioning.people.change(orgId, exchange.params.id ?? '', () => fields);
    sendUser(exchange, services, 200, person);
  };
}

export function patchUser(services: ScimServices): DirectoryHandler {
  const readBody = bodyReader(ScimPatchBody);
  return async (exchange, orgId) => {
    const next = patched(operationsIn(await readBody(exchange)));
    const person = await services.provisioning.people.change(orgId, exchange.params.id ?? '', next);
    sendUser(exchange, services, 200, person);
  };
}

export const deleteUser =
  ({ provisioning }: ScimServices): DirectoryHandler =>
  async (exchange, orgId) => {
    await provisioning.people.remove(orgId, exchange.params.id ?? '');
    sendEmpty(exchange, 204);
  };

function sendUser(exchange: Exchange, { siteUrl }: ScimServices, status: number, person: Person): void {
  const resource = userResource(person, scimBase(siteUrl()));
  const shown = onlyWanted(resource, wantedAttributes(new URLSearchParams(exchange.queryText)));
  sendScim(exchange, status, shown, status === 201 ? ['Location', `${scimBase(siteUrl())}/Users/${person.id}`] : []);
}
