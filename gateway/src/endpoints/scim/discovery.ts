// The capabilities of the service, as directories ask for them: /scim/v2/ServiceProviderConfig, /ResourceTypes and
// /Schemas. Only stored attributes are named, so that nobody maps one that would be lost.

import { notFound } from '../../modules/orgs/provisioning/refusals.ts';
import type { DirectoryHandler } from '../protect.ts';
import { GROUP_SCHEMA, listAnswer, scimBase, sendScim, USER_SCHEMA } from './answers.ts';
import type { ScimServices } from './users.ts';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0';

export const readProviderConfig =
  ({ siteUrl }: ScimServices): DirectoryHandler =>
  (exchange) =>
    sendScim(exchange, 200, {
      schemas: [`${CORE}:ServiceProviderConfig`],
      patch: { supported: true },
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: false },
      authenticationSchemes: [
        {
          type: 'oauthbearertoken',
          name: 'Provisioning token',
          description: "A token of the organization's, made in its pages under Single sign-on.",
          primary: true,
        },
      ],
      meta: { resourceType: 'ServiceProviderConfig', location: `${scimBase(siteUrl())}/ServiceProviderConfig` },
    });

type Definition = Readonly<{ id: string }>;

/** All of them, or the one in the path. */
const definitions =
  (all: (base: string) => readonly Definition[]) =>
  ({ siteUrl }: ScimServices): DirectoryHandler =>
  (exchange) => {
    const found = all(scimBase(siteUrl()));
    const { id } = exchange.params;
    if (id === undefined) return sendScim(exchange, 200, listAnswer(found, found.length, { startIndex: 1 }));
    const one = found.find((definition) => definition.id === id);
    if (one === undefined) throw notFound('definition');
    sendScim(exchange, 200, one);
  };

export const readResourceTypes = definitions((base) =>
  [
    { name: 'User', endpoint: '/Users', description: 'A person.', schema: USER_SCHEMA },
    { name: 'Group', endpoint: '/Groups', description: 'A group, which is a team.', schema: GROUP_SCHEMA },
  ].map((type) => ({
    schemas: [`${CORE}:ResourceType`],
    id: type.name,
    ...type,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${type.name}` },
  })),
);

type Attribute = Readonly<{ name: string; type: string } & Record<string, unknown>>;

const attribute = (name: string, description: string, more: Record<string, unknown> = {}): Attribute => {
  const type = typeof more.type === 'string' ? more.type : 'string';
  const ofTexts = type === 'string' ? { caseExact: false, uniqueness: 'none' } : {};
  const usual = { multiValued: false, required: false, mutability: 'readWrite', returned: 'default' };
  return { name, description, ...usual, ...ofTexts, ...more, type };
};

const NAME_PARTS = [
  attribute('formatted', 'The whole name.'),
  attribute('familyName', 'The family name.'),
  attribute('givenName', 'The given name.'),
];

const EMAIL_PARTS = [
  attribute('value', 'An address of a confirmed domain of the organization.'),
  attribute('type', 'Which address it is; that of work is kept.', { canonicalValues: ['work'] }),
  attribute('primary', 'Whether it is the first.', { type: 'boolean' }),
];

const MEMBER_PARTS = [
  attribute('value', 'The id of a user.', { mutability: 'immutable' }),
  attribute('$ref', 'Where the user is.', { type: 'reference', referenceTypes: ['User'], mutability: 'immutable' }),
  attribute('display', 'The user name.', { mutability: 'readOnly' }),
  attribute('type', 'What it is.', { mutability: 'immutable', canonicalValues: ['User'] }),
];

const USER_ATTRIBUTES = [
  attribute('userName', 'What the directory calls the person.', { required: true, uniqueness: 'server' }),
  attribute('displayName', 'How the person is shown.'),
  attribute('name', 'The name in its parts.', { type: 'complex', subAttributes: NAME_PARTS }),
  attribute('emails', 'The address.', { type: 'complex', multiValued: true, subAttributes: EMAIL_PARTS }),
  attribute('active', 'Whether the person belongs to the organization.', { type: 'boolean' }),
];

const GROUP_ATTRIBUTES = [
  attribute('displayName', "The team's name.", { required: true, uniqueness: 'server' }),
  attribute('members', 'Who is in it.', { type: 'complex', multiValued: true, subAttributes: MEMBER_PARTS }),
];

export const readSchemas = definitions((base) =>
  [
    { id: USER_SCHEMA, name: 'User', description: 'A person.', attributes: USER_ATTRIBUTES },
    { id: GROUP_SCHEMA, name: 'Group', description: 'A group, which is a team.', attributes: GROUP_ATTRIBUTES },
  ].map((schema) => ({
    schemas: [`${CORE}:Schema`],
    ...schema,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` },
  })),
);
