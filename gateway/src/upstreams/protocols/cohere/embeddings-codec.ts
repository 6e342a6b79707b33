// Embeddings of texts and pictures. The API requires their purpose; callers may state it, and otherwise documents to be
// searched are assumed.

import { isJsonObject, type JsonObject, objectOrEmpty } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { EmbeddingsAnswer, EmbeddingsRequest } from '../../../canonical/operation.ts';
import type { Usage } from '../../../canonical/usage.ts';
import { isVector, readParts, unfit } from '../../embedding-parts.ts';
import type { Codec, Decoded, UpstreamCall, UpstreamReply } from '../../protocol.ts';
import { malformedAnswer, readAnswer } from '../../read-answer.ts';
import { readCount } from '../../read-count.ts';
import { readUsage } from './convert-usage.ts';
import { decodeError } from './decode-error.ts';
import { pathAt } from './encode-request.ts';

/** Two thousand vectors of three thousand numbers, written out. */
const ANSWER_BYTES_MAX = 128 * 1024 * 1024;

export const embeddingsCodec: Codec<'embeddings'> = {
  format: 'embeddings',
  answerBytesMax: ANSWER_BYTES_MAX,
  encode: encodeEmbeddings,
  decode: decodeEmbeddings,
  decodeError,
};

/** These models take one picture and nothing else. */
const ONE_PICTURE = /-v3\.0$/;

function encodeEmbeddings(request: EmbeddingsRequest, candidate: Candidate): UpstreamCall {
  const { body } = request;
  const sent = {
    model: candidate.upstreamModel,
    input_type: typeof body.input_type === 'string' ? body.input_type : 'search_document',
    ...contentOf(request, candidate),
    embedding_types: ['float'],
    ...(typeof body.dimensions === 'number' ? { output_dimension: body.dimensions } : {}),
  };
  return { path: pathAt(candidate, '/embed'), body: JSON.stringify(sent) };
}

function contentOf(request: EmbeddingsRequest, { upstreamModel }: Candidate): JsonObject {
  const inputs = readParts(request);
  if (!request.needs.imageInput) return { texts: request.inputs.map(({ texts }) => texts.join('\n')) };
  if (ONE_PICTURE.test(upstreamModel)) {
    const [only, ...others] = inputs.flat();
    if (only?.type !== 'picture' || others.length > 0) throw unfit('This model takes one picture, or texts.');
    return { images: [only.url], input_type: 'image' };
  }
  const encode = (part: (typeof inputs)[number][number]): JsonObject =>
    part.type === 'text' ? { type: 'text', text: part.text } : { type: 'image_url', image_url: { url: part.url } };
  return { inputs: inputs.map((parts) => ({ content: parts.map(encode) })) };
}

function decodeEmbeddings({ body }: UpstreamReply, request: EmbeddingsRequest): Decoded<EmbeddingsAnswer> {
  const { inputs } = request;
  const read = readAnswer(body);
  if (read.kind === 'failure') return read;
  const { embeddings, meta } = read.json;
  const list: unknown = isJsonObject(embeddings) ? embeddings.float : embeddings;
  if (!Array.isArray(list) || list.length !== inputs.length || !list.every(isVector)) {
    return malformedAnswer(`not ${inputs.length} vectors`);
  }
  return { kind: 'answer', answer: { vectors: list }, usage: usageOf(meta, request), finishReason: null };
}

/** Pictures are counted separately, in tokens or by number; for a number, our own estimate is charged. */
function usageOf(meta: unknown, { needs, promptTokensEstimate }: EmbeddingsRequest): Usage | null {
  const billed = objectOrEmpty(objectOrEmpty(meta).billed_units);
  const usage = readUsage(meta);
  if (!needs.imageInput || usage === null) return usage;
  const imageTokens = readCount(billed.image_tokens);
  if (imageTokens === -1) return null;
  const isByPiece = imageTokens === 0 && readCount(billed.images) > 0;
  return { ...usage, promptTokens: isByPiece ? promptTokensEstimate : usage.promptTokens + imageTokens };
}
