// The dialect of rerank. The answer has the fields of all vendors: `results` are the same everywhere, some clients look
// for the billing in `meta` and others in `usage`.

import { JSON_TYPE } from '../../canonical/answer.ts';
import type { RerankAnswer, RerankRequest } from '../../canonical/operation.ts';
import { type Bill, type Dialect, JSON_ONLY } from '../dialect.ts';
import type { RenderContext } from '../stream-pipe.ts';
import { parseRerankRequest } from './parse-request.ts';

export const rerankDialect: Dialect<'rerank'> = {
  operation: 'rerank',
  format: 'rerank',
  forwardedHeaders: [],
  intake: JSON_ONLY,
  read: ({ body }) => parseRerankRequest(body),
  render: (answer, context, bill) => ({
    type: JSON_TYPE,
    body: JSON.stringify(renderRanking(answer, context, bill)),
  }),
};

function renderRanking({ results }: RerankAnswer, context: RenderContext<RerankRequest>, { usage, costUsd }: Bill) {
  const { documents, showsDocuments } = context.request;
  const { promptTokens } = usage;
  const searches = usage.units?.searches ?? 0;
  return {
    id: context.id,
    model: context.modelId,
    results: results.map(({ index, relevance }) => ({
      index,
      relevance_score: relevance,
      ...(showsDocuments ? { document: { text: documents[index] } } : {}),
    })),
    meta: {
      api_version: { version: '2' },
      billed_units: searches > 0 ? { search_units: searches } : { input_tokens: promptTokens },
    },
    usage: {
      prompt_tokens: promptTokens,
      total_tokens: promptTokens,
      ...(searches > 0 ? { search_units: searches } : {}),
      cost: costUsd,
    },
  };
}
