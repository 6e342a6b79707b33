// POST /rerank, as Jina, vLLM and others who copied OpenAI's interface have it. Documents are sent as plain texts,
// which all of them take, and not asked for back, because the gateway has them.

import type { JsonObject } from '../../../canonical/json.ts';
import { isJsonObject } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { RankedDocument, RerankAnswer, RerankRequest } from '../../../canonical/operation.ts';
import { type Usage, withUnits, zeroUsage } from '../../../canonical/usage.ts';
import { stringifyExactJson } from '../../../platform/exact-json.ts';
import type { Codec, Decoded, UpstreamCall, UpstreamReply } from '../../protocol.ts';
import { malformedAnswer, readAnswer } from '../../read-answer.ts';
import { readCount } from '../../read-count.ts';
import { decodeSupportError } from './decode-support-error.ts';

/** Fields for the gateway, and fields that do not apply to this operation. */
const GATEWAY_FIELDS = ['models', 'provider', 'transforms', 'usage', 'stream', 'stream_options', 'session_id'];

export const rerankCodec: Codec<'rerank'> = {
  format: 'rerank',
  encode: encodeRerank,
  decode: decodeRerank,
  decodeError: decodeSupportError,
};

function encodeRerank(request: RerankRequest, { upstreamModel }: Candidate): UpstreamCall {
  const { body, query, documents, resultsMax } = request;
  const sent: JsonObject = {
    ...body,
    model: upstreamModel,
    query,
    documents,
    top_n: resultsMax,
    return_documents: false,
  };
  for (const field of GATEWAY_FIELDS) delete sent[field];
  return { path: '/rerank', body: stringifyExactJson(sent) };
}

/** Cohere's answer states its usage in another place than the others'. */
export function decodeRerank({ body }: UpstreamReply, request: RerankRequest): Decoded<RerankAnswer> {
  const resultsIn = ({ results, data }: JsonObject) => readResults(results ?? data, request);
  const read = readAnswer(body, (json) => typeof resultsIn(json) !== 'string');
  if (read.kind === 'failure') return read;
  const { usage, meta } = read.json;
  const results = resultsIn(read.json);
  if (typeof results === 'string') return malformedAnswer(results);
  const stated = isJsonObject(meta) ? (meta.billed_units ?? meta.tokens) : undefined;
  return { kind: 'answer', answer: { results }, usage: readUsage(usage ?? stated), finishReason: null };
}

/** The best first and no more than were asked for, or what is wrong with them. */
function readResults(value: unknown, { documents, resultsMax }: RerankRequest): readonly RankedDocument[] | string {
  if (!Array.isArray(value) || value.length === 0) return 'no results';
  const results = new Map<number, RankedDocument>();
  for (const item of value) {
    if (!isJsonObject(item)) return 'a result that is no object';
    const { index, relevance_score: relevance } = item;
    const isPlace = typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < documents.length;
    if (!isPlace || results.has(index)) return 'a wild index';
    if (typeof relevance !== 'number' || !Number.isFinite(relevance)) return 'a result without its relevance';
    results.set(index, { index, relevance });
  }
  if (results.size < resultsMax) return `not ${resultsMax} results`;
  const ordered = [...results.values()].sort((left, right) => right.relevance - left.relevance);
  return ordered.slice(0, resultsMax);
}

/** Null when it is missing or cannot be believed. Some state only the total, some only searches. */
function readUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null;
  const prompt = readCount(value.prompt_tokens ?? value.input_tokens);
  const total = readCount(value.total_tokens);
  const searches = readCount(value.search_units);
  if (prompt === -1 || total === -1 || searches === -1) return null;
  return withUnits({ ...zeroUsage, promptTokens: prompt === 0 ? total : prompt }, { searches });
}
