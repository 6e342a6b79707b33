// Pictures from a model that makes them only in conversations: the prompt becomes a user's message, with the source
// pictures beside it, and the pictures in the answer are the result. Files are not read into memory: the call is
// written with marks in their places, and each file is inserted while it is sent.

import { randomBytes } from 'node:crypto';
import type { ImagesAnswer, ImagesRequest } from '../canonical/images.ts';
import type { JsonObject } from '../canonical/json.ts';
import type { Candidate } from '../canonical/model.ts';
import type { ConversationRequest } from '../canonical/request.ts';
import type { UploadedFile } from '../canonical/submission.ts';
import type { ConversationCodec } from './conversation-codec.ts';
import { ordinarySize } from './image-size.ts';
import {
  type Codec,
  type Decoded,
  joined,
  type StreamedBody,
  type TextCall,
  type UpstreamCall,
  type UpstreamReply,
} from './protocol.ts';

/** Ten pictures of six megabytes, in base64. */
const ANSWER_BYTES_MAX = 96 * 1024 * 1024;
/** A whole number of base64 groups. */
const MARK_BYTES = 24;
const BASE64_GROUP = 3;

export function imagesByChat(chat: ConversationCodec): Codec<'images'> {
  return {
    format: 'images',
    omitsExtras: true,
    answerBytesMax: ANSWER_BYTES_MAX,
    decodeError: chat.decodeError,
    encode: (request, candidate) => encode(chat, request, candidate),
    decode: (reply, request) => decode(chat, reply, request),
  };
}

function encode(chat: ConversationCodec, request: ImagesRequest, candidate: Candidate): UpstreamCall {
  const marks = request.sources.map(() => randomBytes(MARK_BYTES).toString('hex'));
  const call = chat.encode(inConversation(request, ordinarySize(request.size, candidate), marks), candidate);
  return marks.length === 0 ? call : { ...call, body: withFiles(call.body, marks, request.sources) };
}

/** The request written as a conversation. */
function inConversation(
  request: ImagesRequest,
  size: string | undefined,
  marks: readonly string[],
): ConversationRequest {
  const { sources, count, body: asked } = request;
  const prompt = String(asked.prompt);
  const typed = sources.map(({ contentType }, index) => ({ mediaType: contentType, data: marks[index] ?? '' }));
  const content = [
    { type: 'text', text: prompt },
    ...typed.map(({ mediaType, data }) => ({
      type: 'image_url',
      image_url: { url: `data:${mediaType};base64,${data}` },
    })),
  ];
  const body: JsonObject = {
    messages: [{ role: 'user', content }],
    modalities: ['image', 'text'],
    // The reservation covers no more than this.
    max_tokens: request.outputTokensMax,
    ...(count === 1 ? {} : { n: count }),
    ...(size === undefined ? {} : { image_config: size.includes(':') ? { aspect_ratio: size } : { size } }),
    ...(typeof asked.user === 'string' ? { user: asked.user } : {}),
  };
  const conversation: ConversationRequest = {
    ...request,
    operation: 'chat',
    format: 'chat',
    isOutputLimitHabitual: false,
    isOutputLimitOurs: true,
    withOutputLimit: () => conversation,
    source: null,
    messageCount: 1,
    transforms: null,
    plugins: [],
    hostedTools: { searchesMax: 0, hasOthers: false },
    isThinkingEnabled: false,
    wantsReasoning: null,
    hidesReasoning: true,
    logprobCount: 0,
    body,
    withBody: () => conversation,
    withTexts: () => conversation,
    toConversation: () => ({
      messages: [
        {
          role: 'user',
          parts: [
            { type: 'text', text: prompt },
            ...typed.map((source) => ({ type: 'image' as const, source: { kind: 'base64' as const, ...source } })),
          ],
        },
      ],
      tools: [],
      sampling: {},
      outputTokensMax: request.outputTokensMax ?? undefined,
    }),
  };
  return conversation;
}

/** The text with each mark replaced by its file in base64, which is read while it is sent. */
function withFiles(body: TextCall['body'], marks: readonly string[], files: readonly UploadedFile[]): StreamedBody {
  let rest = joined(body).toString();
  const pieces = marks.map((mark) => {
    const place = rest.indexOf(mark);
    const piece = Buffer.from(rest.slice(0, place));
    rest = rest.slice(place + mark.length);
    return piece;
  });
  const closing = Buffer.from(rest);
  const filesLength = files.reduce((sum, { byteLength }) => sum + base64Length(byteLength), 0);
  return {
    byteLength: pieces.reduce((sum, { length }) => sum + length, closing.length) + filesLength,
    async *open() {
      for (const [index, piece] of pieces.entries()) {
        yield piece;
        const file = files[index];
        if (file !== undefined) yield* inBase64(file.open());
      }
      yield closing;
    },
  };
}

const base64Length = (byteLength: number): number => Math.ceil(byteLength / BASE64_GROUP) * 4;

async function* inBase64(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % BASE64_GROUP);
    rest = Buffer.from(bytes.subarray(whole));
    if (whole > 0) yield Buffer.from(bytes.toString('base64', 0, whole), 'latin1');
  }
  if (rest.length > 0) yield Buffer.from(rest.toString('base64'), 'latin1');
}

function decode(chat: ConversationCodec, reply: UpstreamReply, { count }: ImagesRequest): Decoded<ImagesAnswer> {
  const decoded = chat.decodeJson(reply.body);
  if (decoded.kind === 'failure') {
    if (decoded.failure.kind !== 'malformed') return decoded;
    return { kind: 'failure', failure: { ...decoded.failure, code: 'pipeline_error' } };
  }
  // More pictures than were asked for are not covered by the reservation.
  const made = chat.toAnswer(decoded.source.json).pictures?.slice(0, count) ?? [];
  if (made.length === 0) {
    const publicMessage = 'The provider answered without an image. Nothing was charged.';
    const detail = 'an answer in conversation without images';
    return { kind: 'failure', failure: { kind: 'malformed', code: 'no_images', publicMessage, detail } };
  }
  return { kind: 'answer', answer: { made, shown: [] }, usage: decoded.usage, finishReason: null };
}
