// Vectors of texts at Google's Vertex AI, where models that are no conversation are asked to predict. Each vector comes
// with the count of its tokens.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { EmbeddingsAnswer, EmbeddingsRequest } from '../../../canonical/operation.ts';
import { zeroUsage } from '../../../canonical/usage.ts';
import { ApiError } from '../../../errors/api-error.ts';
import type { Codec, Decoded, UpstreamCall, UpstreamReply } from '../../protocol.ts';
import { readCount } from '../../read-count.ts';
import { decodeError } from '../gemini/decode-error.ts';
import { malformedAnswer, readAnswer } from '../openai/read-answer.ts';
import { modelPath } from './model-path.ts';

/** Two hundred and fifty vectors of three thousand numbers, written out, which is what a call may ask for. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

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
  const purpose = typeof body.input_type === 'string' ? { task_type: body.input_type } : {};
  const sent = {
    instances: inputs.map(({ texts }): JsonObject => ({ content: texts.join('\n'), ...purpose })),
    ...(typeof body.dimensions === 'number' ? { parameters: { outputDimensionality: body.dimensions } } : {}),
  };
  return { path: `${modelPath(candidate)}:predict`, body: JSON.stringify(sent) };
}

function decodeEmbeddings({ body }: UpstreamReply, request: EmbeddingsRequest): Decoded<EmbeddingsAnswer> {
  const read = readAnswer(body);
  if (read.kind === 'failure') return read;
  const { predictions } = read.json;
  const list: readonly unknown[] = Array.isArray(predictions) ? predictions : [];
  const made = list.flatMap((entry) =>
    isJsonObject(entry) && isJsonObject(entry.embeddings) ? [entry.embeddings] : [],
  );
  const vectors = made.flatMap(({ values }) => (isVector(values) ? [values] : []));
  if (vectors.length !== request.inputs.length) return malformedAnswer(`not ${request.inputs.length} vectors`);
  const counts = made.map(({ statistics }) =>
    readCount(isJsonObject(statistics) ? (statistics.token_count ?? NaN) : NaN),
  );
  const isCounted = counts.every((count) => count !== -1);
  // The vendor charges whether it counts aloud or not.
  const promptTokens = isCounted ? counts.reduce((sum, count) => sum + count, 0) : request.promptTokensEstimate;
  return { kind: 'answer', answer: { vectors }, usage: { ...zeroUsage, promptTokens }, finishReason: null };
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((number) => Number.isFinite(number));
}
