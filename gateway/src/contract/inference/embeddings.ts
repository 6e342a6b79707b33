// Embeddings as they are accepted and answered.

import { Type } from '@sinclair/typebox';
import { count, listOf, named, text, usd } from '../shape.ts';
import { maybe, model, open, ProviderPreferences } from './fields.ts';

const Item = Type.Object(
  {
    content: Type.Array(
      Type.Union([
        Type.Object({ type: Type.Literal('text'), text: Type.String({ minLength: 1 }) }, open),
        Type.Object(
          {
            type: Type.Literal('image_url'),
            image_url: Type.Object({ url: text('An address or a data URI.') }, open),
          },
          open,
        ),
      ]),
      { minItems: 1, maxItems: 256 },
    ),
  },
  { ...open, description: 'For models that take pictures too.' },
);

const tokenIds = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1, description: 'Token ids.' });

export const EmbeddingsRequest = Type.Object(
  {
    model,
    input: Type.Union(
      [
        Type.String({ minLength: 1 }),
        tokenIds,
        Type.Array(Type.Union([Type.String({ minLength: 1 }), tokenIds, Item]), { minItems: 1, maxItems: 2_048 }),
        Item,
      ],
      { description: 'One input, or several; each becomes a vector.' },
    ),
    dimensions: maybe(Type.Integer({ minimum: 1, maximum: 65_536 })),
    encoding_format: maybe(Type.String({ description: 'One of float, base64.' })),
    provider: maybe(ProviderPreferences),
  },
  { ...open, ...named('EmbeddingsRequest') },
);

export const EmbeddingsAnswer = Type.Object(
  {
    object: Type.Literal('list'),
    id: text('The id of the generation; GET /v1/generation gives its record.'),
    model: text('The model that answered.'),
    data: listOf(
      Type.Object({
        object: Type.Literal('embedding'),
        index: count('The number of the input, from 0.'),
        embedding: Type.Union([listOf(Type.Number()), Type.String()], {
          description: 'Numbers, or base64 of 32-bit floats.',
        }),
      }),
    ),
    usage: Type.Object({
      prompt_tokens: count('Tokens of all inputs.'),
      total_tokens: count('The same.'),
      cost: usd('What was charged.'),
    }),
  },
  named('Embeddings'),
);
