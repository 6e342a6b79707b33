// Vectors of texts. The API wants to know what they are for; callers may say so, and documents to be searched are meant
// where they do not.

import { isJsonObject } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { EmbeddingsAnswer, EmbeddingsRequest } from '../../../canonical/operation.ts';
import { ApiError } from '../../../errors/api-error.ts';
import type { Codec, Decoded, UpstreamCall, UpstreamReply } from '../../protocol.ts';
import { malformedAnswer, readAnswer } from '../openai/read-answer.ts';
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

function encodeEmbeddings({ inputs, body, needs }: EmbeddingsRequest, candidate: Candidate): UpstreamCall {
  if (needs.imageInput || inputs.some(({ texts }) => texts.length === 0)) {
    throw new ApiError('invalid_modality_for_model', 'The provider of this model makes vectors of texts alone.');
  }
  const sent = {
    model: candidate.upstreamModel,
    texts: inputs.map(({ texts }) => texts.join('\n')),
    input_type: typeof body.input_type === 'string' ? body.input_type : 'search_document',
    embedding_types: ['float'],
    ...(typeof body.dimensions === 'number' ? { output_dimension: body.dimensions } : {}),
  };
  return { path: pathAt(candidate, '/embed'), body: JSON.stringify(sent) };
}

function decodeEmbeddings({ body }: UpstreamReply, { inputs }: EmbeddingsRequest): Decoded<EmbeddingsAnswer> {
  const read = readAnswer(body);
  if (read.kind === 'failure') return read;
  const { embeddings, meta } = read.json;
  const list: unknown = isJsonObject(embeddings) ? embeddings.float : embeddings;
  if (!Array.isArray(list) || list.length !== inputs.length || !list.every(isVector)) {
    return malformedAnswer(`not ${inputs.length} vectors`);
  }
  return { kind: 'answer', answer: { vectors: list }, usage: readUsage(meta), finishReason: null };
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((number) => Number.isFinite(number));
}
