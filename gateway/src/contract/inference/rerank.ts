// Rerank as it is accepted and answered.

import { Type } from '@sinclair/typebox';
import { count, listOf, named, text, usd } from '../shape.ts';
import { maybe, model, open, ProviderPreferences } from './fields.ts';

export const RerankRequest = Type.Object(
  {
    model,
    query: Type.String({ minLength: 1 }),
    documents: Type.Array(Type.Union([Type.String(), Type.Object({ text: Type.String() }, open)]), {
      minItems: 1,
      maxItems: 2_048,
    }),
    top_n: maybe(Type.Integer({ minimum: 1, description: 'How many of the best to return; all by default.' })),
    return_documents: maybe(Type.Boolean({ description: 'Return the texts with the results.' })),
    provider: maybe(ProviderPreferences),
  },
  { ...open, ...named('RerankRequest') },
);

export const RerankAnswer = Type.Object(
  {
    id: text('The id of the generation; GET /v1/generation gives its record.'),
    model: text('The model that answered.'),
    results: listOf(
      Type.Object({
        index: count('The number of the document, from 0.'),
        relevance_score: Type.Number({ description: 'The higher, the more relevant.' }),
        document: Type.Optional(Type.Object({ text: Type.String() })),
      }),
      'The best first.',
    ),
    meta: Type.Object({
      api_version: Type.Object({ version: Type.String() }),
      billed_units: Type.Object({
        search_units: Type.Optional(count('Searches.')),
        input_tokens: Type.Optional(count('Tokens, where these are counted.')),
      }),
    }),
    usage: Type.Object({
      prompt_tokens: count('Tokens of the query and the documents.'),
      total_tokens: count('The same.'),
      search_units: Type.Optional(count('Queries of up to a hundred documents.')),
      cost: usd('What was charged.'),
    }),
  },
  named('Ranking'),
);
