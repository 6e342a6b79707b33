// Embeddings of texts and pictures, all of a call in one batch. The API does not always state the tokens; then our own
// estimate is charged, because the vendor charges in any case.

import { isJsonObject, type JsonObject, listOrEmpty } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { EmbeddingsAnswer, EmbeddingsRequest } from '../../../canonical/operation.ts';
import { type Usage, zeroUsage } from '../../../canonical/usage.ts';
import { isVector, readParts, type SentPart } from '../../embedding-parts.ts';
import type { Codec, Decoded, UpstreamCall, UpstreamReply } from '../../protocol.ts';
import { malformedAnswer, readAnswer } from '../../read-answer.ts';
import { readCount } from '../../read-count.ts';
import { decodeError } from './decode-error.ts';
import { geminiPlace } from './encode-request.ts';

/** Two thousand vectors of three thousand numbers, written out. */
const ANSWER_BYTES_MAX = 128 * 1024 * 1024;

const PURPOSE = /^[A-Z_]{1,64}$/;

/** As this API writes purposes; undefined for the words of other vendors, which would be refused. */
export const purposeIn = ({ input_type: purpose }: JsonObject): string | undefined =>
  typeof purpose === 'string' && PURPOSE.test(purpose) ? purpose : undefined;

export const embeddingsCodec: Codec<'embeddings'> = {
  format: 'embeddings',
  answerBytesMax: ANSWER_BYTES_MAX,
  encode: encodeEmbeddings,
  decode: decodeEmbeddings,
  decodeError,
};

function encodeEmbeddings(request: EmbeddingsRequest, candidate: Candidate): UpstreamCall {
  const { body } = request;
  const path = geminiPlace.pathOf(candidate);
  const model = decodeURIComponent(path.slice(1));
  const purpose = purposeIn(body);
  const requests = readParts(request).map(
    (parts): JsonObject => ({
      model,
      content: { parts: parts.map(encodePart) },
      ...(purpose === undefined ? {} : { taskType: purpose }),
      ...(typeof body.dimensions === 'number' ? { outputDimensionality: body.dimensions } : {}),
    }),
  );
  return { path: `${path}:batchEmbedContents`, body: JSON.stringify({ requests }) };
}

export function encodePart(part: SentPart): JsonObject {
  return part.type === 'text' ? { text: part.text } : { inlineData: { mimeType: part.mediaType, data: part.data } };
}

function decodeEmbeddings({ body }: UpstreamReply, request: EmbeddingsRequest): Decoded<EmbeddingsAnswer> {
  const read = readAnswer(body);
  if (read.kind === 'failure') return read;
  const { embeddings, usageMetadata } = read.json;
  return decodeVectors(listOrEmpty(embeddings), usageMetadata, request);
}

/** `usageMetadata` is for all of them. */
export function decodeVectors(
  list: readonly unknown[],
  usageMetadata: unknown,
  request: EmbeddingsRequest,
): Decoded<EmbeddingsAnswer> {
  const vectors = list.flatMap((entry) => (isJsonObject(entry) && isVector(entry.values) ? [entry.values] : []));
  if (vectors.length !== request.inputs.length) return malformedAnswer(`not ${request.inputs.length} vectors`);
  return { kind: 'answer', answer: { vectors }, usage: usageOf(usageMetadata, request), finishReason: null };
}

function usageOf(record: unknown, { promptTokensEstimate }: EmbeddingsRequest): Usage | null {
  if (!isJsonObject(record)) return { ...zeroUsage, promptTokens: promptTokensEstimate };
  const promptTokens = readCount(record.promptTokenCount ?? record.totalTokenCount);
  return promptTokens === -1 ? null : { ...zeroUsage, promptTokens };
}
