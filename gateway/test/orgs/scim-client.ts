// A directory's client on top of SCIMMY, an independent implementation of the standard: every answer must be one that
// its schemas accept without losing a member, and a change must have the result of its own PatchOp.

import SCIMMY from 'scimmy';
import { expect } from 'vitest';
import type { Answer, Harness, Json } from '../harness.ts';
import type { Browser } from '../signin/browser.ts';
import type { Town } from '../signin/people.ts';

export const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const SEARCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest';
export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';

const { User, Group, EnterpriseUser } = SCIMMY.Schemas;
const { PatchOp, ListResponse, ErrorResponse } = SCIMMY.Messages;

User.definition.extend(EnterpriseUser.definition, false);

type Operation = Readonly<{ op: 'add' | 'replace' | 'remove'; path?: string; value?: unknown }>;

type Asked = Readonly<{ token: string; method: string; path: string; body: unknown }>;

export async function askScim(harness: Harness, { token, method, path, body }: Asked): Promise<Answer> {
  const sent = body === undefined ? { key: token } : { key: token, body };
  const answer = await harness.request(method, `/scim/v2${path}`, sent);
  if (answer.status !== 204) {
    expect(answer.headers.get('content-type')).toContain('application/scim+json');
    readAnswer(answer.body);
  }
  return answer;
}

/** The result of these operations in the standard's own implementation, without attributes that nobody keeps. */
export async function expectedAfter(before: Json, operations: readonly Operation[]): Promise<Json> {
  const resource = isUser(before) ? new User(before, 'out') : new Group(before, 'out');
  const message = new PatchOp({ schemas: [PATCH_SCHEMA], Operations: operations.map((one) => ({ ...one })) });
  const { meta, [ENTERPRISE]: lost, ...after } = plain(await message.apply(resource, async (changed) => changed));
  return { ...after, schemas: before.schemas };
}

/** Of each attribute that the service says it has, where the standard says otherwise. */
export function strayAttributes(schema: Json): readonly string[] {
  const standard = plain((isUserSchema(schema.id) ? User : Group).definition.describe());
  return strayIn(schema.attributes as Json[], standard.attributes as Json[]);
}

function strayIn(attributes: readonly Json[], standard: readonly Json[]): readonly string[] {
  return attributes.flatMap(({ name, type, multiValued, subAttributes }) => {
    const known = standard.find((one) => one.name === name);
    if (known?.type !== type || known?.multiValued !== multiValued) return [String(name)];
    return subAttributes === undefined ? [] : strayIn(subAttributes as Json[], known?.subAttributes as Json[]);
  });
}

function readAnswer(body: Json): void {
  const [schema] = body.schemas as string[];
  if (schema === ERROR_SCHEMA) {
    expect(() => new ErrorResponse(body)).toThrow(SCIMMY.Types.Error);
    return;
  }
  const resources = schema === LIST_SCHEMA ? (body.Resources as Json[]) : [body];
  if (schema === LIST_SCHEMA) expect(plain(new ListResponse(body as never))).toEqual(body);
  for (const resource of resources) {
    const [own] = resource.schemas as string[];
    const Reader = [User, Group].find(({ definition }) => definition.id === own);
    if (Reader !== undefined) expect(plain(new Reader(resource, 'out'))).toMatchObject(resource);
  }
}

const isUserSchema = (id: unknown): boolean => id === USER_SCHEMA;
const isUser = ({ schemas }: Json): boolean => isUserSchema((schemas as string[])[0]);
const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value));

export type Company = Readonly<{ orgId: string; domain: string; admin: Browser; token: string }>;

let people = 0;

/** As Okta creates one. */
export const oktaUser = ({ domain }: Company, changes: Json = {}): Json => {
  people += 1;
  const userName = `person${people}@${domain}`;
  return {
    schemas: [USER_SCHEMA],
    userName,
    name: { givenName: 'Test', familyName: `User ${people}` },
    emails: [{ primary: true, value: userName, type: 'work' }],
    displayName: `Test User ${people}`,
    locale: 'en-US',
    externalId: `00ujl29u0le5T6Aj10h${people}`,
    groups: [],
    password: '1mz050nq',
    active: true,
    ...changes,
  };
};

export const list = (answer: Answer): Json[] => answer.body.Resources as Json[];
export const filtered = (attribute: string, value: string): string =>
  `?filter=${encodeURIComponent(`${attribute} eq "${value}"`)}&startIndex=1&count=100`;

/** Members by their ids alone, in order: the service fills in the other parts of a member. */
export const bare = ({ members, ...resource }: Json): Json =>
  members === undefined && !String(resource.id).startsWith('scg-')
    ? resource
    : { ...resource, members: ((members ?? []) as Json[]).map(({ value }) => String(value)).sort() };

export const changesOfUser: readonly (readonly Operation[])[] = [
  [{ op: 'replace', value: { active: false, displayName: 'Ann', name: { givenName: 'Ann', familyName: 'Lee' } } }],
  [{ op: 'add', path: 'name.formatted', value: 'Ann Lee' }],
  [{ op: 'replace', path: 'emails[type eq "work"].value', value: 'lee@globex.example' }],
  [{ op: 'replace', path: 'emails[primary eq true].value', value: 'ann@globex.example' }],
  [{ op: 'add', path: `${ENTERPRISE}:department`, value: 'Sales' }],
  [{ op: 'replace', value: { [ENTERPRISE]: { department: 'Support' }, externalId: 'e1' } }],
  [{ op: 'remove', path: 'name.formatted' }],
  [
    { op: 'remove', path: 'displayName' },
    { op: 'replace', path: 'active', value: true },
  ],
];

/** Of a group that the first two are in. */
export const changesOfGroup = ([ann, bob, cia]: readonly string[]): readonly (readonly Operation[])[] => [
  [{ op: 'remove', path: `members[value eq "${ann}"]` }],
  [{ op: 'add', path: 'members', value: [{ value: ann }, { value: cia }] }],
  [{ op: 'replace', value: { displayName: 'Standards', externalId: 'g1' } }],
  [
    { op: 'remove', path: 'members' },
    { op: 'add', path: 'members', value: [{ value: bob }] },
  ],
];

/** An organization with a proven domain, and the token of its directory. */
export async function openCompany(town: Town, domain: string): Promise<Company> {
  const { browser: admin } = await town.operatorUser();
  const orgId = String((await admin.post('/api/orgs', { name: domain })).body.id);
  await town.rows(
    `insert into org_domains (org_id, domain, token, confirmed_at, created_at) values ($1, $2, 't', now(), now())`,
    [orgId, domain],
  );
  const made = await admin.post(`/api/orgs/${orgId}/provisioning/tokens`, { name: 'Directory' });
  expect(made.status, made.text).toBe(201);
  return { orgId, domain, admin, token: String(made.body.token) };
}
