// Embeddings, described.

import { EmbeddingsAnswer, EmbeddingsRequest } from '../../contract/inference/embeddings.ts';
import type { Descriptions } from '../docs/description.ts';
import { OF_CALLS } from '../docs/implied-errors.ts';

export const embeddingsDescriptions: Descriptions = {
  'POST /v1/embeddings': {
    tag: 'Embeddings',
    summary: 'Create embeddings',
    notes: 'A session of an institution opens this route like a key.',
    body: EmbeddingsRequest,
    answers: { 200: { json: EmbeddingsAnswer } },
    errors: [...OF_CALLS, 'invalid_image_url'],
    example: { model: 'embeddings', body: { model: '$MODEL', input: ['A cat.', 'A dog.'] } },
  },
};
