// Fields that the requests of all dialects share. Requests are read by hand and unknown fields are let through, so
// these schemas describe and do not validate; a test compares every accepted request with them.

import { type TSchema, Type } from '@sinclair/typebox';
import { listOf, named, orNull } from '../shape.ts';

/** Further fields are passed on to the upstream. */
export const open = { additionalProperties: true };

/** Null means the same as leaving the field out. */
export const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(orNull(schema));

/** A JSON object whose content is not checked. */
export const anyObject = (description: string) => Type.Object({}, { ...open, description });

export const model = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'The model as `<provider>/<name>`; `auto` and `auto:free` let the gateway choose.',
});

/** For fields in which several models can be named. */
export const firstModel = Type.Optional(
  Type.String({ ...model, description: `${model.description} Required unless \`models\` names some.` }),
);

export const models = Type.Array(model, {
  maxItems: 10,
  description: 'Further models, tried in this order when the one before cannot answer.',
});

const wishes = (description: string) => maybe(Type.Array(Type.String(), { maxItems: 100, description }));

export const ProviderPreferences = Type.Object(
  {
    order: wishes('Providers to try first, in this order.'),
    only: wishes('The only providers to try.'),
    ignore: wishes('Providers not to try.'),
    allow_fallbacks: maybe(Type.Boolean({ description: 'False: no other provider is tried after the first.' })),
    sort: maybe(
      Type.Union(
        [
          Type.Literal('price'),
          Type.Literal('latency'),
          Type.Literal('throughput'),
          Type.Object({ by: Type.String(), partition: maybe(Type.String()) }, open),
        ],
        { description: 'What the other providers are sorted by.' },
      ),
    ),
    require_parameters: maybe(
      Type.Boolean({ description: 'Use only providers that support every parameter of the call.' }),
    ),
    data_collection: maybe(
      Type.Union([Type.Literal('allow'), Type.Literal('deny')], {
        description: '`deny`: use no provider that may keep prompts.',
      }),
    ),
    quantizations: wishes('Use only routes with one of these quantizations.'),
    max_price: maybe(
      Type.Record(Type.String(), Type.Number({ minimum: 0 }), {
        description: 'The highest price to accept, in USD for a million tokens, by kind of token.',
      }),
    ),
  },
  { ...open, ...named('ProviderPreferences', 'Which providers may serve the call, and in which order.') },
);

export const routing = {
  models: maybe(models),
  provider: maybe(ProviderPreferences),
  plugins: maybe(
    Type.Array(Type.Object({ id: Type.String(), enabled: Type.Optional(Type.Boolean()) }, open), {
      maxItems: 64,
      description: '`{"id":"web"}` searches the web where the upstream can.',
    }),
  ),
  transforms: maybe(
    listOf(
      Type.Literal('middle-out'),
      '`middle-out` removes the middle of a prompt that is too long; `[]` forbids it.',
    ),
  ),
};

/** The reasoning effort, as two of the dialects write it. */
export const reasoning = Type.Object(
  {
    effort: maybe(Type.String({ description: 'One of xhigh, high, medium, low, none.' })),
    max_tokens: maybe(Type.Integer({ minimum: 0 })),
    exclude: maybe(Type.Boolean({ description: 'True: think, but do not show the reasoning.' })),
  },
  { ...open, description: 'How much to think.' },
);
