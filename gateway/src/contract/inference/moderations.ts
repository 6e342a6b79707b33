// Moderations as they are accepted and answered.

import { Type } from '@sinclair/typebox';
import { flag, listOf, named, text, usd } from '../shape.ts';
import { maybe, open, ProviderPreferences } from './fields.ts';

const Part = Type.Union([
  Type.Object({ type: Type.Literal('text'), text: Type.String() }, open),
  Type.Object(
    { type: Type.Literal('image_url'), image_url: Type.Object({ url: text('An address or a data URI.') }, open) },
    open,
  ),
]);

export const ModerationRequest = Type.Object(
  {
    model: maybe(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: "The model to ask; without it the gateway's own policy answers.",
      }),
    ),
    input: Type.Union(
      [
        Type.String(),
        Type.Array(Type.String(), { minItems: 1, maxItems: 1_024 }),
        Type.Array(Part, { minItems: 1, maxItems: 32, description: 'One input of several parts.' }),
      ],
      { description: 'One input or several.' },
    ),
    provider: maybe(ProviderPreferences),
  },
  { ...open, ...named('ModerationRequest') },
);

export const ModerationAnswer = Type.Object(
  {
    id: text('The generation, where a model was asked.'),
    model: text('Who judged: a model, or `builtin`.'),
    results: listOf(
      Type.Object(
        {
          flagged: flag('True: the input falls into a category.'),
          categories: Type.Record(Type.String(), Type.Union([Type.Boolean(), Type.Null()])),
          category_scores: Type.Optional(Type.Record(Type.String(), Type.Number())),
        },
        open,
      ),
      'One for each input, in their order.',
    ),
    usage: Type.Object({ cost: usd('What was charged.') }),
  },
  named('Moderation'),
);
