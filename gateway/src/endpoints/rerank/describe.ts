// Rerank at both of its addresses, described.

import { RerankAnswer, RerankRequest } from '../../contract/inference/rerank.ts';
import type { Description, Descriptions } from '../docs/description.ts';
import { OF_CALLS } from '../docs/implied-errors.ts';

const ranking: Description = {
  tag: 'Rerank',
  summary: 'Put documents in order',
  notes:
    'Charged by the search (a query of up to a hundred documents) or by the token, as the price of the model says.',
  body: RerankRequest,
  answers: { 200: { json: RerankAnswer } },
  errors: OF_CALLS,
  example: {
    model: 'rerank',
    body: { model: '$MODEL', query: 'Which animal barks?', documents: ['A cat.', 'A dog.'], top_n: 1 },
  },
};

export const rerankDescriptions: Descriptions = {
  'POST /v1/rerank': ranking,
  'POST /v2/rerank': { ...ranking, summary: 'The same, where clients of the second version look for it' },
};
