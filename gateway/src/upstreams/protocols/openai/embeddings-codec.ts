// POST /embeddings. The caller's body is passed on with only the necessary changes; the vectors are checked, because a
// missing or misplaced one would spoil what the client builds from them.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { EmbeddingsAnswer, EmbeddingsRequest, Vector } from '../../../canonical/operation.ts';
import { type Usage, zeroUsage } from '../../../canonical/usage.ts';
import { stringifyExactJson } from '../../../platform/exact-json.ts';
import type { Codec, Decoded, UpstreamCall, UpstreamReply } from '../../protocol.ts';
import { malformedAnswer, readAnswer } from '../../read-answer.ts';
import { readCount } from '../../read-count.ts';
import { decodeSupportError } from './decode-support-error.ts';

/** Fields for the gateway, and fields that do not apply to this operation. */
const GATEWAY_FIELDS = ['models', 'provider', 'transforms', 'usage', 'stream', 'stream_options', 'session_id'];
/** Two thousand vectors of three thousand numbers, written out. */
const ANSWER_BYTES_MAX = 128 * 1024 * 1024;
const FLOAT_BYTES = 4;

export const embeddingsCodec: Codec<'embeddings'> = {
  format: 'embeddings',
  answerBytesMax: ANSWER_BYTES_MAX,
  encode: encodeEmbeddings,
  decode: decodeEmbeddings,
  decodeError: decodeSupportError,
};

function encodeEmbeddings({ body }: EmbeddingsRequest, { upstreamModel }: Candidate): UpstreamCall {
  const sent: JsonObject = { ...body, model: upstreamModel };
  for (const field of GATEWAY_FIELDS) delete sent[field];
  return { path: '/embeddings', body: stringifyExactJson(sent) };
}

function decodeEmbeddings({ body }: UpstreamReply, request: EmbeddingsRequest): Decoded<EmbeddingsAnswer> {
  const vectorsIn = ({ data }: JsonObject) => readVectors(data, request.inputs.length);
  const read = readAnswer(body, (json) => typeof vectorsIn(json) !== 'string');
  if (read.kind === 'failure') return read;
  const vectors = vectorsIn(read.json);
  if (typeof vectors === 'string') return malformedAnswer(vectors);
  return { kind: 'answer', answer: { vectors }, usage: readUsage(read.json.usage), finishReason: null };
}

/** In the order of the inputs, or what is wrong with them. */
function readVectors(data: unknown, count: number): readonly Vector[] | string {
  if (!Array.isArray(data) || data.length !== count) return `not ${count} vectors`;
  const vectors = new Array<Vector | undefined>(count).fill(undefined);
  for (const [place, item] of data.entries()) {
    if (!isJsonObject(item)) return 'a vector that is no object';
    const index = item.index ?? place;
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count) return 'a wild index';
    const { embedding } = item;
    if (!isVector(embedding)) return 'a vector that is none';
    vectors[index] = embedding;
  }
  const found = vectors.filter((vector) => vector !== undefined);
  return found.length === count ? found : 'two vectors with one index';
}

function isVector(value: unknown): value is Vector {
  if (Array.isArray(value)) return value.length > 0 && value.every((number) => Number.isFinite(number));
  if (typeof value !== 'string' || value === '' || value.length % 4 !== 0) return false;
  const padding = value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0;
  const bytes = (value.length / 4) * 3 - padding;
  // Decoding skips characters that are not base64, and then bytes are missing.
  return bytes % FLOAT_BYTES === 0 && Buffer.from(value, 'base64').length === bytes;
}

/** Null when it is missing or cannot be believed. Some providers state only the total. */
function readUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null;
  const prompt = readCount(value.prompt_tokens);
  const total = readCount(value.total_tokens);
  return prompt === -1 || total === -1 ? null : { ...zeroUsage, promptTokens: prompt === 0 ? total : prompt };
}
