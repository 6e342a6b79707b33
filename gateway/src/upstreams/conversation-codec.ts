// The codec of a conversation, from the functions that a protocol writes for its own format. Whole answers stay as they
// came, so that a client of the same format gets every field; the codec also says how to read them for other formats.

import type { Answer, ConversationAnswer } from '../canonical/answer.ts';
import type { AnswerFormat } from '../canonical/format.ts';
import { isSet, type JsonObject } from '../canonical/json.ts';
import type { Candidate } from '../canonical/model.ts';
import type { ConversationRequest } from '../canonical/request.ts';
import type { DecoderWishes, StreamDecoder } from '../canonical/stream-part.ts';
import type { Usage } from '../canonical/usage.ts';
import type { JsonDocument } from '../platform/json-document.ts';
import type { Codec, Decoded, TextCall, UpstreamFailure } from './protocol.ts';

/** An answer in the protocol's own format, checked. `json`: where it is to be read otherwise than it came. */
export type DecodedJson =
  | Readonly<{
      kind: 'answer';
      source: JsonDocument;
      json?: JsonObject;
      usage: Usage | null;
      finishReason: string | null;
    }>
  | Readonly<{ kind: 'failure'; failure: UpstreamFailure }>;

export type ConversationCodecParts = Readonly<{
  /** Requests of this format are passed through; all others are written from the conversation. */
  format: AnswerFormat;
  encode(request: ConversationRequest, candidate: Candidate, headers?: readonly string[]): TextCall;
  decodeJson(body: Buffer): DecodedJson;
  decodeError: Codec['decodeError'];
  readUsage(value: unknown): Usage | null;
  /** A decoded answer in the vendor-neutral form, for a dialect of another format. */
  toAnswer(json: JsonObject): Answer;
  createStreamDecoder(wishes?: DecoderWishes): StreamDecoder;
}>;

export type ConversationCodec = ConversationCodecParts & Codec<'chat'>;

export function conversationCodec(parts: ConversationCodecParts): ConversationCodec {
  return { ...parts, decode: ({ body }) => withReading(parts.decodeJson(body), parts) };
}

function withReading(decoded: DecodedJson, { format, toAnswer }: ConversationCodecParts): Decoded<ConversationAnswer> {
  if (decoded.kind === 'failure') return decoded;
  const { source, usage, finishReason } = decoded;
  const json = withoutError(decoded.json ?? source.json);
  return { kind: 'answer', answer: { format, json, source, toAnswer: () => toAnswer(json) }, usage, finishReason };
}

/** Of an answer that counts, what the upstream says of an error beside it is for nobody to read. */
function withoutError(json: JsonObject): JsonObject {
  if (!isSet(json.error)) return json;
  const { error: _error, ...answer } = json;
  return answer;
}
