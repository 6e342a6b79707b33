// Answers for a directory: one resource, or a page of them, with the attributes that it asked for.

import { type ScimGroup, ScimSearchBody, type ScimUser } from '../../contract/scim.ts';
import { ApiError } from '../../errors/api-error.ts';
import { SCIM_TYPE } from '../../errors/scim-envelope.ts';
import type { Exchange } from '../../http/exchange.ts';
import { type HeaderList, sendBytes } from '../../http/respond.ts';
import type { Group } from '../../modules/orgs/provisioning/groups.ts';
import type { Person } from '../../modules/orgs/provisioning/people.ts';
import type { DirectoryHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { attributeName } from './filter.ts';

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const PAGE_DEFAULT = 100;
const ALWAYS = ['schemas', 'id'];

export const scimBase = (siteUrl: string): string => `${siteUrl}/scim/v2`;

export function sendScim(exchange: Exchange, status: number, body: object, headers: HeaderList = []): void {
  sendBytes(exchange, status, { body: JSON.stringify(body), type: SCIM_TYPE }, headers);
}

export function userResource(person: Person, base: string): ScimUser {
  const { formattedName, givenName, familyName } = person;
  const name = present({ formatted: formattedName, givenName, familyName });
  return {
    schemas: [USER_SCHEMA],
    id: person.id,
    ...present({ externalId: person.externalId, displayName: person.displayName }),
    userName: person.userName,
    ...(Object.keys(name).length === 0 ? {} : { name }),
    emails: [{ value: person.email ?? person.emailNormalized, type: 'work', primary: true }],
    active: person.isActive,
    meta: metaOf('User', person, `${base}/Users/${person.id}`),
  };
}

export function groupResource(group: Group, base: string): ScimGroup {
  return {
    schemas: [GROUP_SCHEMA],
    id: group.id,
    ...present({ externalId: group.externalId }),
    displayName: group.displayName,
    members: group.members.map(({ personId, userName }) => ({
      value: personId,
      $ref: `${base}/Users/${personId}`,
      display: userName,
      type: 'User',
    })),
    meta: metaOf('Group', group, `${base}/Groups/${group.id}`),
  };
}

type Times = Readonly<{ createdAt: Date; changedAt: Date }>;

const metaOf = (resourceType: string, { createdAt, changedAt }: Times, location: string) => ({
  resourceType,
  created: createdAt.toISOString(),
  lastModified: changedAt.toISOString(),
  location,
});

const present = <Name extends string>(members: Readonly<Record<Name, string | null>>): Partial<Record<Name, string>> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) as Partial<Record<Name, string>>;

/** Whether an attribute of a resource is wanted; naming a part means the whole attribute. */
export type Wanted = (name: string) => boolean;

export function wantedAttributes(query: URLSearchParams): Wanted {
  const only = namesIn(query.get('attributes'));
  const without = namesIn(query.get('excludedAttributes'));
  return (name) => {
    const lower = name.toLowerCase();
    if (ALWAYS.includes(lower)) return true;
    return only.size > 0 ? only.has(lower) : !without.has(lower);
  };
}

const namesIn = (list: string | null): ReadonlySet<string> =>
  new Set((list ?? '').split(',').flatMap((name) => attributeName(name.trim()).split('.')[0] || []));

export const onlyWanted = <Resource extends object>(resource: Resource, wanted: Wanted): Resource =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => wanted(name))) as Resource;

/** A list of resources for a query. */
export type ScimListing = (exchange: Exchange, orgId: string, query: URLSearchParams) => Promise<void>;

export const byAddress =
  (list: ScimListing): DirectoryHandler =>
  (exchange, orgId) =>
    list(exchange, orgId, new URLSearchParams(exchange.queryText));

/** A search has the same parameters in a body that a list has in its address. */
export function byBody(list: ScimListing): DirectoryHandler {
  const readBody = bodyReader(ScimSearchBody);
  return async (exchange, orgId) => {
    const named = Object.entries(await readBody(exchange)).flatMap(([name, value]): [string, string][] =>
      value === null || value === undefined ? [] : [[name, String(value)]],
    );
    return list(exchange, orgId, new URLSearchParams(named));
  };
}

export type Window = Readonly<{ startIndex: number; offset: number; limit: number }>;

/**
 * Counted from one; text that is not a number is refused, and a number that is too small or too large is brought within
 * the bounds.
 */
export function windowOf(query: URLSearchParams, pageMax: number): Window {
  const startIndex = Math.max(1, wholeNumber(query.get('startIndex'), 1));
  const limit = Math.min(pageMax, Math.max(0, wholeNumber(query.get('count'), PAGE_DEFAULT)));
  return { startIndex, offset: startIndex - 1, limit };
}

function wholeNumber(text: string | null, absent: number): number {
  if (text === null || text === '') return absent;
  if (/^-?\d{1,9}$/.test(text)) return Number(text);
  throw new ApiError('http_400', 'startIndex and count must be whole numbers.', {
    details: { scimType: 'invalidValue' },
  });
}

export const listAnswer = (
  resources: readonly object[],
  total: number,
  { startIndex }: Pick<Window, 'startIndex'>,
) => ({
  schemas: [LIST_SCHEMA],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});
