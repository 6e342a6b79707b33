// The codec for providers that also speak the Responses format: calls of that dialect are passed through to them, with
// everything that only this format has. Authorization and the words of refusals are those of the `openai` protocol.

import { isSet } from '../../../canonical/json.ts';
import type { CanonicalRequest } from '../../../canonical/operation.ts';
import { conversationCodec } from '../../conversation-codec.ts';
import { readUsage } from './convert-usage.ts';
import { decodeError } from './decode-error.ts';
import { decodeResponse } from './decode-response.ts';
import { createResponseStreamDecoder } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';
import { toAnswer } from './to-answer.ts';

export const responsesCodec = conversationCodec({
  format: 'responses',
  encode: encodeRequest,
  decodeJson: decodeResponse,
  decodeError,
  readUsage,
  toAnswer,
  createStreamDecoder: createResponseStreamDecoder,
});

// Whether a call of another dialect can be answered in this format at all. A provider that speaks it serves every
// dialect through it, since some models exist nowhere else; a call for what only chat completions can give goes there
// as before. Wishes that merely steer the model (a seed, penalties, stop sequences) count for models that take them,
// which chat completions have too; for all others they are left out.

/** Fields that ask for something in the answer, or for an answer that comes sooner. */
const ASKED_FIELDS = ['audio', 'logprobs', 'top_logprobs', 'functions', 'moderation', 'prediction'];
/** Also of models that can be steered. */
const STEERING_FIELDS = [
  ...ASKED_FIELDS,
  ...['stop', 'stop_sequences', 'seed', 'frequency_penalty', 'presence_penalty', 'logit_bias'],
];
const STEERABLE = /(?:^|\/)(?:chatgpt-4|gpt-[34])/;
/** Models that search with every answer, or speak, exist in chat completions only, for callers of this format too. */
const CHAT_ONLY = /-search-(?:preview|api)\b|-audio\b/;

export function canSay(request: CanonicalRequest, upstreamModel: string): boolean {
  if (request.operation !== 'chat' || CHAT_ONLY.test(upstreamModel)) return false;
  if (request.format === 'responses') return true;
  const { needs, body, choiceCount } = request;
  if (needs.imageOutput || needs.audioInput || needs.videoInput || choiceCount > 1) return false;
  const fields = STEERABLE.test(upstreamModel) ? STEERING_FIELDS : ASKED_FIELDS;
  return !fields.some((field) => isAsked(field, body[field]));
}

/** A seed of zero is a seed; of every other field false and zero are the defaults. */
const isAsked = (field: string, value: unknown): boolean =>
  isSet(value) && value !== false && (value !== 0 || field === 'seed');
