// POST /v2/rerank. It takes only texts, and counts searches.

import type { Candidate } from '../../../canonical/model.ts';
import type { RerankRequest } from '../../../canonical/operation.ts';
import type { Codec, UpstreamCall } from '../../protocol.ts';
import { decodeRerank } from '../openai/rerank-codec.ts';
import { decodeError } from './decode-error.ts';
import { pathAt } from './encode-request.ts';

export const rerankCodec: Codec<'rerank'> = {
  format: 'rerank',
  encode: encodeRerank,
  decode: decodeRerank,
  decodeError,
};

function encodeRerank({ body, query, documents, resultsMax }: RerankRequest, candidate: Candidate): UpstreamCall {
  const { max_tokens_per_doc: tokensMax, priority } = body;
  const sent = {
    model: candidate.upstreamModel,
    query,
    documents,
    top_n: resultsMax,
    ...(typeof tokensMax === 'number' ? { max_tokens_per_doc: tokensMax } : {}),
    ...(typeof priority === 'number' ? { priority } : {}),
  };
  return { path: pathAt(candidate, '/rerank'), body: JSON.stringify(sent) };
}
