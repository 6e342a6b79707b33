// The codec for providers that also speak the Responses format: calls of that dialect are passed through to them, with
// everything that only this format has. Authorization and the words of refusals are those of the `openai` protocol.

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
// as before. Wishes that merely steer the model (a seed, penalties, stop sequences) do not count: they are left out.

/** Fields that ask for something in the answer. */
const ASKED_FIELDS = ['audio', 'logprobs', 'top_logprobs', 'functions'];

export function canSay(request: CanonicalRequest): boolean {
  if (request.operation !== 'chat') return false;
  if (request.format === 'responses') return true;
  const { needs, body, choiceCount } = request;
  if (needs.imageOutput || needs.audioInput || needs.videoInput || choiceCount > 1) return false;
  return !ASKED_FIELDS.some((field) => Boolean(body[field]));
}
