// The dialect of embeddings: everything the pipeline needs to read a client's call and to write an answer to it.

import { JSON_TYPE } from '../../canonical/answer.ts';
import type { EmbeddingsAnswer, EmbeddingsRequest } from '../../canonical/operation.ts';
import { type Bill, type Dialect, JSON_ONLY } from '../dialect.ts';
import type { RenderContext } from '../stream-pipe.ts';
import { parseEmbeddingsRequest } from './parse-request.ts';
import { encodeVector } from './vector-encoding.ts';

export const embeddingsDialect: Dialect<'embeddings'> = {
  operation: 'embeddings',
  format: 'embeddings',
  forwardedHeaders: [],
  intake: JSON_ONLY,
  read: ({ body }) => parseEmbeddingsRequest(body),
  render: (answer, context, bill) => ({
    type: JSON_TYPE,
    body: JSON.stringify(renderList(answer, context, bill)),
  }),
};

function renderList({ vectors }: EmbeddingsAnswer, context: RenderContext<EmbeddingsRequest>, bill: Bill) {
  const { encoding } = context.request;
  const { promptTokens } = bill.usage;
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({ object: 'embedding', index, embedding: encodeVector(vector, encoding) })),
    model: context.modelId,
    id: context.id,
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens, cost: bill.costUsd },
  };
}
