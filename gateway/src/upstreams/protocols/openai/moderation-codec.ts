// POST /moderations. Categories differ between providers and are passed on unchanged; each input must have a verdict.
// Many providers count nothing here, so each input is counted once, and a price by the call applies.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { ModerationAnswer, ModerationRequest } from '../../../canonical/operation.ts';
import { type Usage, withUnits, zeroUsage } from '../../../canonical/usage.ts';
import { stringifyExactJson } from '../../../platform/exact-json.ts';
import type { Codec, Decoded, UpstreamCall, UpstreamReply } from '../../protocol.ts';
import { malformedAnswer, readAnswer } from '../../read-answer.ts';
import { readCount } from '../../read-count.ts';
import { decodeSupportError } from './decode-support-error.ts';

/** Fields for the gateway, and fields that do not apply to this operation. */
const GATEWAY_FIELDS = ['models', 'provider', 'transforms', 'usage', 'stream', 'stream_options', 'session_id'];

export const moderationCodec: Codec<'moderation'> = {
  format: 'moderation',
  encode: encodeModeration,
  decode: decodeModeration,
  decodeError: decodeSupportError,
};

function encodeModeration({ body }: ModerationRequest, { upstreamModel }: Candidate): UpstreamCall {
  const sent: JsonObject = { ...body, model: upstreamModel };
  for (const field of GATEWAY_FIELDS) delete sent[field];
  return { path: '/moderations', body: stringifyExactJson(sent) };
}

function decodeModeration({ body }: UpstreamReply, { inputTexts }: ModerationRequest): Decoded<ModerationAnswer> {
  const count = inputTexts.length;
  const read = readAnswer(body, ({ results }) => areVerdicts(results, count));
  if (read.kind === 'failure') return read;
  const { results, usage } = read.json;
  if (!areVerdicts(results, count)) return malformedAnswer(`not ${count} verdicts`);
  return { kind: 'answer', answer: { results }, usage: readUsage(usage, count), finishReason: null };
}

const areVerdicts = (results: unknown, count: number): results is JsonObject[] =>
  Array.isArray(results) && results.length === count && results.every(isResult);

function isResult(value: unknown): value is JsonObject {
  return isJsonObject(value) && typeof value.flagged === 'boolean' && isJsonObject(value.categories);
}

function readUsage(value: unknown, judged: number): Usage | null {
  const stated = isJsonObject(value) ? readCount(value.prompt_tokens ?? value.total_tokens) : 0;
  return stated === -1 ? null : withUnits({ ...zeroUsage, promptTokens: stated }, { judged });
}
