// Providers in the config document: their address, their keys, and how long they may take.

import { type Static, Type } from '@sinclair/typebox';
import { oneOf, strict, text, word } from './config-fields.ts';

/** The name of `api_key` among several keys. */
export const MAIN_KEY = 'main';
export const PROVIDER_KEY_NAME = '^[A-Za-z0-9_.-]{1,64}$';

const seconds = (): ReturnType<typeof Type.Integer> =>
  Type.Integer({ minimum: 1, maximum: 14_400, description: 'a whole number of seconds from 1 to 14400' });

/** How long a provider may take. The gateway's default applies where a value is left out. */
export const TimeoutsEntry = Type.Object(
  {
    connect_seconds: Type.Optional(seconds()),
    /** Until a stream begins. */
    first_byte_seconds: Type.Optional(seconds()),
    /** Until an answer that is not streamed begins, which is when the model has finished. */
    whole_seconds: Type.Optional(seconds()),
    /** The longest silence after it has begun. */
    stall_seconds: Type.Optional(seconds()),
    total_seconds: Type.Optional(seconds()),
  },
  { ...strict, title: 'TimeoutsEntry' },
);

export type TimeoutsEntry = Static<typeof TimeoutsEntry>;

const ProviderKeyEntry = Type.Object(
  {
    key: Type.String({ minLength: 1, maxLength: 4000, description: 'the key' }),
    /** The key's share of the calls beside the others; 1 by default, 0 for a spare key. */
    weight: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000, description: 'a whole number from 0 to 1000' })),
  },
  { ...strict, title: 'ProviderKeyEntry' },
);

/** By the operator's names. `api_key` is one more of them, named `main`. */
const providerKeys = Type.Record(Type.String({ pattern: PROVIDER_KEY_NAME }), ProviderKeyEntry, {
  additionalProperties: false,
  maxProperties: 50,
  description: 'keys by short names of letters, digits, dots, hyphens and underscores',
});

export const ProviderEntry = Type.Object(
  {
    /** The wire format; each protocol has further settings. */
    protocol: word,
    base_url: Type.Optional(text(2000, 'an http or https URL')),
    api_key: Type.Optional(text(4000)),
    api_keys: Type.Optional(providerKeys),
    data_collection: Type.Optional(oneOf(['allow', 'deny'])),
    /** The vendor, by the name that `provider add` takes: its prices and models are looked up for the provider. */
    preset: Type.Optional(word),
    timeouts: Type.Optional(TimeoutsEntry),
    /** The provider also speaks the Responses format natively. */
    responses: Type.Optional(Type.Boolean({ description: 'true or false' })),
    /** The provider also has the old completions, with a suffix to fill in before. */
    completions: Type.Optional(Type.Boolean({ description: 'true or false' })),
    /** False for a provider that refuses calls with a `plugins` field. */
    plugins: Type.Optional(Type.Boolean({ description: 'true or false' })),
  },
  { additionalProperties: text(20_000, 'a setting of the protocol'), title: 'ProviderEntry' },
);

export type ProviderEntry = Static<typeof ProviderEntry>;
