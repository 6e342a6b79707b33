// Customers' own upstream keys, as the API takes and shows them. The upstream's key itself is accepted and never shown.

import { type Static, Type } from '@sinclair/typebox';
import { nameField } from './body-fields.ts';
import { flag, listOf, moment, named, oneOf, orNull, type Shape, text } from './shape.ts';

const strict = { additionalProperties: false };

const BYOK_MAPPINGS_MAX = 500;
const SCOPED_KEYS_MAX = 1_000;

const name = nameField(200);
const baseUrl = Type.String({ minLength: 1, maxLength: 2_048, description: 'a URL' });
/** It becomes a header, which may contain only visible characters. */
const apiKey = Type.String({
  minLength: 1,
  maxLength: 4_096,
  pattern: '^[\\x21-\\x7e]+$',
  description: 'text without spaces, of 1 to 4096 characters',
});
const protocol = Type.String({ minLength: 1, maxLength: 64, description: 'the name of a protocol' });
const fallbackMode = Type.Union([Type.Literal('seamless'), Type.Literal('strict')], {
  description: 'one of seamless, strict',
});
const enabled = Type.Boolean({ description: 'true or false' });
const scopedApiKeyIds = Type.Array(Type.String({ minLength: 1, maxLength: 100, description: "a key's id" }), {
  maxItems: SCOPED_KEYS_MAX,
  description: `a list of at most ${SCOPED_KEYS_MAX} key ids`,
});
const modelMappings = Type.Array(
  Type.Object(
    {
      model: Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: '^[\\x21-\\x7e]+$',
        description: "a model's id",
      }),
      upstreamModel: Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: '^[^\\u0000-\\u001f\\u007f]+$',
        description: "the upstream's name of the model",
      }),
      enabled: Type.Optional(enabled),
    },
    { ...strict, description: 'an object with model, upstreamModel and enabled' },
  ),
  { maxItems: BYOK_MAPPINGS_MAX, description: `a list of at most ${BYOK_MAPPINGS_MAX} mappings` },
);

export const NewByokKeyBody = Type.Object(
  {
    name,
    baseUrl,
    apiKey,
    protocol: Type.Optional(protocol),
    fallbackMode: Type.Optional(fallbackMode),
    scopedApiKeyIds: Type.Optional(scopedApiKeyIds),
    modelMappings: Type.Optional(modelMappings),
    enabled: Type.Optional(enabled),
  },
  { ...strict, title: 'NewByokKeyBody' },
);
export type NewByokKeyBody = Static<typeof NewByokKeyBody>;

export const ByokKeyChangesBody = Type.Object(
  {
    name: Type.Optional(name),
    baseUrl: Type.Optional(baseUrl),
    /** Listed only so that it can be refused with a reason. */
    apiKey: Type.Optional(Type.Unknown()),
    protocol: Type.Optional(protocol),
    fallbackMode: Type.Optional(fallbackMode),
    scopedApiKeyIds: Type.Optional(scopedApiKeyIds),
    modelMappings: Type.Optional(modelMappings),
    modelToggles: Type.Optional(
      Type.Record(Type.String(), enabled, { description: 'an object of model ids, each with true or false' }),
    ),
    enabled: Type.Optional(enabled),
  },
  { ...strict, title: 'ByokKeyChangesBody' },
);
export type ByokKeyChangesBody = Static<typeof ByokKeyChangesBody>;

const byokKeyFields = {
  id: text('The id of the key, used in paths.'),
  name: text('The name.'),
  baseUrl: text('Where the upstream is.'),
  keyMask: text("The upstream's key, masked."),
  protocol: text('The format that the upstream speaks.'),
  fallbackMode: oneOf(['seamless', 'strict'], 'Whether calls go on to the platform when the upstream fails.'),
  modelMappings: listOf(
    Type.Object({ model: Type.String(), upstreamModel: Type.String(), enabled: Type.Boolean() }),
    "The models that go to this upstream, and the upstream's names for them.",
  ),
  scopedApiKeyIds: listOf(
    Type.String(),
    'Only calls of these keys go to this upstream; empty for all keys of the organization.',
  ),
  enabled: flag('False: no calls go to this upstream.'),
  health: Type.Object({
    status: oneOf(['unknown', 'healthy', 'unhealthy'], 'What the last check said.'),
    lastCheckedAt: orNull(moment('When the upstream was last checked.')),
    lastError: orNull(text('The problem that the last check found.')),
  }),
  createdAt: moment('When it was made.'),
};

export const ByokKeyObject = Type.Object(byokKeyFields, named('ByokKey'));
export type ByokKeyObject = Shape<typeof ByokKeyObject>;

export const NewByokKeyObject = Type.Object(
  {
    ...byokKeyFields,
    sync: Type.Object({
      matched: listOf(Type.String(), 'Models whose calls will go to this upstream.'),
      unmatched: listOf(Type.String(), 'Models that are not in the catalog.'),
      stale: listOf(Type.String(), 'Models of the catalog whose upstream model the upstream does not list.'),
    }),
  },
  named('NewByokKey'),
);
export type NewByokKeyObject = Shape<typeof NewByokKeyObject>;

export const ByokKeysAnswer = Type.Object(
  {
    keys: listOf(ByokKeyObject),
    protocols: listOf(Type.String(), 'The formats that an upstream may speak; the first is the default.'),
  },
  named('ByokKeyList'),
);
export type ByokKeysAnswer = Shape<typeof ByokKeysAnswer>;
