// The codec for providers that also speak the Responses format: a caller of that dialect passes through to them, with
// everything that only this format can say. Authorization and the words of refusals are those of the `openai` protocol.

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
