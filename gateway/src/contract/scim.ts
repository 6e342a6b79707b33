// SCIM 2.0 (RFC 7643 and 7644): users and groups as a directory sends and gets them. Directories send far more than is
// stored, so bodies are open, and fields that are not named here are ignored.

import { type Static, Type } from '@sinclair/typebox';
import { shortName } from './body-fields.ts';
import { count, flag, listOf, moment, named, orNull, type Shape, text } from './shape.ts';

const open = { additionalProperties: true };
const EXTERNAL_ID_LENGTH_MAX = 200;

export const MEMBERS_MAX = 10_000;
const OPERATIONS_MAX = 1_000;

const nullable = (lengthMax: number) =>
  Type.Optional(
    Type.Union([Type.String({ maxLength: lengthMax }), Type.Null()], {
      description: `text of up to ${lengthMax} characters`,
    }),
  );

/** Entra sends it as a text. */
const activity = Type.Union([Type.Boolean(), Type.String({ pattern: '^(?:[Tt]rue|[Ff]alse)$' })], {
  description: 'true or false',
});

export const ScimUserBody = Type.Object(
  {
    userName: Type.String({ minLength: 1, maxLength: 254, description: 'text of 1 to 254 characters' }),
    externalId: nullable(EXTERNAL_ID_LENGTH_MAX),
    displayName: nullable(200),
    name: Type.Optional(
      Type.Union([
        Type.Object({ formatted: nullable(400), givenName: nullable(200), familyName: nullable(200) }, open),
        Type.Null(),
      ]),
    ),
    emails: Type.Optional(
      Type.Union([
        Type.Array(
          Type.Object(
            {
              value: Type.Optional(Type.String({ maxLength: 254 })),
              type: Type.Optional(Type.Union([Type.String(), Type.Null()])),
              primary: Type.Optional(Type.Unknown()),
            },
            open,
          ),
          { maxItems: 20, description: 'up to 20 addresses' },
        ),
        Type.Null(),
      ]),
    ),
    active: Type.Optional(activity),
  },
  { ...open, title: 'ScimUserBody' },
);
export type ScimUserBody = Static<typeof ScimUserBody>;

export const ScimGroupBody = Type.Object(
  {
    displayName: shortName,
    externalId: nullable(EXTERNAL_ID_LENGTH_MAX),
    members: Type.Optional(
      Type.Union([
        Type.Array(Type.Object({ value: Type.String({ maxLength: 100 }) }, open), {
          maxItems: MEMBERS_MAX,
          description: `up to ${MEMBERS_MAX} members`,
        }),
        Type.Null(),
      ]),
    ),
  },
  { ...open, title: 'ScimGroupBody' },
);
export type ScimGroupBody = Static<typeof ScimGroupBody>;

const attributeNames = Type.Optional(
  Type.Union([Type.Array(Type.String({ maxLength: 200 }), { maxItems: 50 }), Type.Null()], {
    description: 'a list of up to 50 names of attributes',
  }),
);
const wholeNumber = Type.Optional(
  Type.Union([Type.Integer({ minimum: -999_999_999, maximum: 999_999_999 }), Type.Null()], {
    description: 'a whole number',
  }),
);

/** The parameters of a list, sent in a body instead of the address. */
export const ScimSearchBody = Type.Object(
  {
    filter: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'a filter' })),
    startIndex: wholeNumber,
    count: wholeNumber,
    attributes: attributeNames,
    excludedAttributes: attributeNames,
  },
  { ...open, title: 'ScimSearchBody' },
);
export type ScimSearchBody = Static<typeof ScimSearchBody>;

export const ScimPatchBody = Type.Object(
  {
    Operations: Type.Array(
      Type.Object(
        {
          op: Type.String({
            pattern: '^(?:[Aa]dd|[Rr]eplace|[Rr]emove)$',
            description: 'one of add, replace, remove',
          }),
          path: Type.Optional(Type.Union([Type.String({ maxLength: 500 }), Type.Null()])),
          value: Type.Optional(Type.Unknown()),
        },
        open,
      ),
      { minItems: 1, maxItems: OPERATIONS_MAX, description: `a list of 1 to ${OPERATIONS_MAX} operations` },
    ),
  },
  { ...open, title: 'ScimPatchBody' },
);
export type ScimPatchBody = Static<typeof ScimPatchBody>;

const schemas = listOf(Type.String(), 'Which schemas the object follows.');

const meta = Type.Optional(
  Type.Object({
    resourceType: text('What it is.'),
    created: Type.Optional(moment('When it was created here.')),
    lastModified: Type.Optional(moment('When the directory last changed it.')),
    location: text('The address of the resource.'),
  }),
);

export const ScimUser = Type.Object(
  {
    schemas,
    id: text('The id here.'),
    externalId: Type.Optional(text("The directory's own id for it.")),
    userName: Type.Optional(text('The user name in the directory; upper and lower case do not matter.')),
    displayName: Type.Optional(text('The display name of the person.')),
    name: Type.Optional(
      Type.Object({
        formatted: Type.Optional(text('The whole name.')),
        givenName: Type.Optional(text('The given name.')),
        familyName: Type.Optional(text('The family name.')),
      }),
    ),
    emails: Type.Optional(
      listOf(
        Type.Object({ value: text('The address.'), type: text('Always `work`.'), primary: flag('Always true.') }),
        'The one address that counts.',
      ),
    ),
    active: Type.Optional(flag('Whether the person belongs to the organization.')),
    meta,
  },
  named('ScimUser'),
);
export type ScimUser = Shape<typeof ScimUser>;

export const ScimGroup = Type.Object(
  {
    schemas,
    id: text('The id here.'),
    externalId: Type.Optional(text("The directory's own id for it.")),
    displayName: Type.Optional(text("The team's name.")),
    members: Type.Optional(
      listOf(
        Type.Object({
          value: text('The id of a user.'),
          $ref: text('Where the user is.'),
          display: text('The user name.'),
          type: text('Always `User`.'),
        }),
        'Who is in it.',
      ),
    ),
    meta,
  },
  named('ScimGroup'),
);
export type ScimGroup = Shape<typeof ScimGroup>;

const page = {
  totalResults: count('How many there are.'),
  startIndex: count('The first, from 1.'),
  itemsPerPage: count('How many are here.'),
};

export const ScimUsers = Type.Object({ schemas, ...page, Resources: listOf(ScimUser) }, named('ScimUsers'));
export const ScimGroups = Type.Object({ schemas, ...page, Resources: listOf(ScimGroup) }, named('ScimGroups'));

/** The capabilities of the service, in the protocol's own form. */
export const ScimDiscovery = Type.Object({ schemas }, { ...open, ...named('ScimDiscovery') });

export const ScimErrorEnvelope = Type.Object(
  {
    schemas,
    status: text('The status, as text.'),
    scimType: Type.Optional(text('What was wrong, in the words of the protocol.')),
    detail: text('A text for people; its words may change.'),
  },
  named('ScimError'),
);

export const NewProvisioningTokenBody = Type.Object(
  { name: shortName },
  { additionalProperties: false, title: 'NewProvisioningTokenBody' },
);

const token = {
  id: text('Its id.'),
  name: text('What it was called.'),
  suffix: text('Its last characters.'),
  createdAt: moment('When it was made.'),
  lastUsedAt: orNull(moment('When the directory last used it, to the hour.')),
};

export const ProvisioningAnswer = Type.Object(
  {
    baseUrl: text('The address to enter in the directory.'),
    tokens: listOf(Type.Object(token, named('ProvisioningToken'))),
    users: count('How many people the directory has sent.'),
    groups: count('How many groups it has sent.'),
  },
  named('Provisioning'),
);
export type ProvisioningAnswer = Shape<typeof ProvisioningAnswer>;

export const NewProvisioningTokenAnswer = Type.Object(
  { ...token, token: text('The token. It is shown only in this answer.') },
  named('NewProvisioningToken'),
);
export type NewProvisioningTokenAnswer = Shape<typeof NewProvisioningTokenAnswer>;
