// Embeddings at Google's Vertex AI. Older models are called by `predict`: those for texts return token counts; the
// model for texts and pictures has its own form and counts nothing. Newer models take one content for each call.

import { isJsonObject, type JsonObject, listOrEmpty } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { EmbeddingsAnswer, EmbeddingsRequest } from '../../../canonical/operation.ts';
import { zeroUsage } from '../../../canonical/usage.ts';
import { isVector, readParts, unfit } from '../../embedding-parts.ts';
import type { Codec, Decoded, UpstreamCall, UpstreamReply } from '../../protocol.ts';
import { malformedAnswer, readAnswer } from '../../read-answer.ts';
import { readCount } from '../../read-count.ts';
import { decodeError } from '../gemini/decode-error.ts';
import { decodeVectors, encodePart, purposeIn } from '../gemini/embeddings-codec.ts';
import { modelPath } from './model-path.ts';

/** Two hundred and fifty vectors of three thousand numbers, written out, which is the most for one call. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

export const embeddingsCodec: Codec<'embeddings'> = {
  format: 'embeddings',
  answerBytesMax: ANSWER_BYTES_MAX,
  encode: encodeEmbeddings,
  decode: decodeEmbeddings,
  decodeError,
};

/** The first of its family is still called in the older way. */
const isEmbedding = ({ upstreamModel }: Candidate): boolean =>
  /gemini|maas/.test(upstreamModel) && !upstreamModel.includes('gemini-embedding-001');

const isMultimodal = ({ upstreamModel }: Candidate): boolean => upstreamModel.includes('multimodalembedding');

function encodeEmbeddings(request: EmbeddingsRequest, candidate: Candidate): UpstreamCall {
  const { inputs, body, needs } = request;
  if (isMultimodal(candidate)) return encodeMultimodal(request, candidate);
  if (isEmbedding(candidate)) return encodeContent(request, candidate);
  if (needs.imageInput || inputs.some(({ texts }) => texts.length === 0)) {
    throw unfit('The provider of this model makes vectors of texts alone.');
  }
  const purpose = purposeIn(body);
  const stated = purpose === undefined ? {} : { task_type: purpose };
  const sent = {
    instances: inputs.map(({ texts }): JsonObject => ({ content: texts.join('\n'), ...stated })),
    ...(typeof body.dimensions === 'number' ? { parameters: { outputDimensionality: body.dimensions } } : {}),
  };
  return { path: `${modelPath(candidate)}:predict`, body: JSON.stringify(sent) };
}

function encodeContent(request: EmbeddingsRequest, candidate: Candidate): UpstreamCall {
  const { dimensions } = request.body;
  const purpose = purposeIn(request.body);
  const [only = [], ...others] = readParts(request);
  if (others.length > 0) throw unfit('The provider of this model makes one vector a call: send one input.');
  const sent = {
    content: { role: 'user', parts: only.map(encodePart) },
    embedContentConfig: {
      ...(purpose === undefined ? {} : { taskType: purpose }),
      ...(typeof dimensions === 'number' ? { outputDimensionality: dimensions } : {}),
    },
  };
  return { path: `${modelPath(candidate)}:embedContent`, body: JSON.stringify(sent) };
}

/** A text and a picture in one instance would give two vectors. */
function encodeMultimodal(request: EmbeddingsRequest, candidate: Candidate): UpstreamCall {
  const { dimensions } = request.body;
  const instances = readParts(request).map((parts): JsonObject => {
    const [only, ...others] = parts;
    if (only === undefined || others.length > 0) throw unfit('This model makes a vector of one text or one picture.');
    if (only.type === 'text') return { text: only.text };
    return { image: { bytesBase64Encoded: only.data, mimeType: only.mediaType } };
  });
  const sent = { instances, ...(typeof dimensions === 'number' ? { parameters: { dimension: dimensions } } : {}) };
  return { path: `${modelPath(candidate)}:predict`, body: JSON.stringify(sent) };
}

function decodeEmbeddings({ body }: UpstreamReply, request: EmbeddingsRequest): Decoded<EmbeddingsAnswer> {
  const read = readAnswer(body);
  if (read.kind === 'failure') return read;
  const { predictions, embedding, usageMetadata } = read.json;
  if (isJsonObject(embedding)) return decodeVectors([embedding], usageMetadata, request);
  const list = listOrEmpty(predictions);
  const made = list.flatMap((entry) => (isJsonObject(entry) ? [madeIn(entry)] : []));
  const vectors = made.flatMap(({ values }) => (isVector(values) ? [values] : []));
  if (vectors.length !== request.inputs.length) return malformedAnswer(`not ${request.inputs.length} vectors`);
  const counts = made.map(({ statistics }) =>
    readCount(isJsonObject(statistics) ? (statistics.token_count ?? NaN) : NaN),
  );
  const isCounted = counts.every((count) => count !== -1);
  // The vendor charges whether or not it states a count.
  const promptTokens = isCounted ? counts.reduce((sum, count) => sum + count, 0) : request.promptTokensEstimate;
  return { kind: 'answer', answer: { vectors }, usage: { ...zeroUsage, promptTokens }, finishReason: null };
}

function madeIn({ embeddings, textEmbedding, imageEmbedding }: JsonObject): JsonObject {
  return isJsonObject(embeddings) ? embeddings : { values: textEmbedding ?? imageEmbedding };
}
