// A conversation with a model that makes only pictures, at a provider that has only an endpoint for pictures: the
// messages become the prompt, their pictures the sources, and the answer is written as a chat answer, whole or as a
// stream.

import type { ContentPart, Conversation } from '../../../canonical/conversation.ts';
import { isJsonObject, type JsonObject, objectOrEmpty, textOrNull } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { ConversationRequest } from '../../../canonical/request.ts';
import type { UploadedFile } from '../../../canonical/submission.ts';
import { ApiError } from '../../../errors/api-error.ts';
import { PIECE_BYTES } from '../../../platform/piece-bytes.ts';
import { rasterTypeOf } from '../../../platform/raster-image.ts';
import type { ConversationCodec } from '../../conversation-codec.ts';
import { ordinarySize } from '../../image-size.ts';
import type { Codec, Reframer, UpstreamCall } from '../../protocol.ts';
import { readAnswer } from '../../read-answer.ts';
import { readCount } from '../../read-count.ts';
import { decodeError } from './decode-error.ts';
import { encodePictures } from './images-codec.ts';

const JSON_TYPE = 'application/json';
/** For one answer; a picture in it is in memory more than once on its way. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const PROMPT_LENGTH_MAX = 32_768;
const COUNT_MAX = 10;

export function chatByImages(chat: ConversationCodec): Codec<'chat'> {
  return {
    format: 'chat',
    embedsPictures: true,
    omitsExtras: true,
    answerBytesMax: ANSWER_BYTES_MAX,
    decodeError,
    readUsage: chat.readUsage,
    createStreamDecoder: chat.createStreamDecoder,
    encode: (request, candidate) => ({ ...encode(request, candidate), accept: JSON_TYPE }),
    decode({ headers, body }, request, route) {
      const read = readAnswer(body);
      if (read.kind === 'failure') return read;
      const answer = Buffer.from(JSON.stringify(asChat(read.json, request.choiceCount)));
      return chat.decode?.({ headers, body: answer }, request, route) ?? NO_ANSWER;
    },
    createReframer: ({ choiceCount }) => new ChatStreamWriter(choiceCount),
  };
}

const NO_ANSWER = { kind: 'failure', failure: { kind: 'malformed', detail: 'no whole answers' } } as const;

function encode(request: ConversationRequest, candidate: Candidate): UpstreamCall {
  const { choiceCount } = request;
  if (choiceCount > COUNT_MAX) throw new ApiError('invalid_n', `n may be at most ${COUNT_MAX} for this model.`);
  const { prompt, sources } = readWish(request.toConversation());
  const size = ordinarySize(wishedSize(request.body), candidate);
  const fields = { prompt, ...(choiceCount === 1 ? {} : { n: choiceCount }) };
  return encodePictures({ fields, size, sources, upstreamModel: candidate.upstreamModel });
}

/** The text of users and instructions, in order. What the model itself has said before is not part of the order. */
function readWish({ messages }: Conversation): Readonly<{ prompt: string; sources: readonly UploadedFile[] }> {
  const asked = messages.filter(({ role }) => role === 'system' || role === 'user');
  const parts = asked.flatMap((message) => message.parts as readonly ContentPart[]);
  const prompt = parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n\n')
    .trim();
  if (prompt === '')
    throw new ApiError('missing_prompt', 'There must be a text that says what the picture is to show.');
  if (prompt.length > PROMPT_LENGTH_MAX) {
    throw new ApiError('context_too_long', `This model takes at most ${PROMPT_LENGTH_MAX} characters of text.`);
  }
  return { prompt, sources: parts.flatMap((part) => (part.type === 'image' ? [asFile(part.source)] : [])) };
}

type PictureSource = Extract<ContentPart, { type: 'image' }>['source'];

/** The endpoint takes only files. */
function asFile(source: PictureSource): UploadedFile {
  if (source.kind === 'url') {
    throw new ApiError('invalid_image_url', 'This model takes images as base64 data URIs only.');
  }
  const bytes = Buffer.from(source.data, 'base64');
  const contentType = rasterTypeOf(bytes);
  if (contentType === null) {
    throw new ApiError('invalid_image_type', 'Each image must be a PNG, JPEG, WebP or GIF file.');
  }
  return {
    fieldName: 'image',
    fileName: `image.${contentType.slice('image/'.length)}`,
    contentType,
    byteLength: bytes.length,
    head: bytes,
    open: () => onePiece(bytes),
  };
}

async function* onePiece(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

function wishedSize({ image_config: config }: JsonObject): string | null {
  return isJsonObject(config) ? textOrNull(config.size ?? config.aspect_ratio) : null;
}

/** One picture for each choice that was asked for. */
function asChat(json: JsonObject, choiceCount: number): JsonObject {
  const pictures = picturesIn(json, choiceCount);
  const choices = pictures.map((image, index) => ({
    index,
    message: { role: 'assistant', content: '', images: [image] },
    finish_reason: 'stop',
  }));
  const none = { index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' };
  return { object: 'chat.completion', choices: choices.length > 0 ? choices : [none], ...usageOf(json) };
}

function picturesIn({ data }: JsonObject, choiceCount: number): readonly JsonObject[] {
  if (!Array.isArray(data)) return [];
  return data.slice(0, choiceCount).map((item: unknown) => {
    const { b64_json: base64, url } = objectOrEmpty(item);
    return { type: 'image_url', image_url: { url: typeof base64 === 'string' ? dataUri(base64) : url } };
  });
}

/** The real type is found when the picture is checked. */
const dataUri = (base64: string): string => `data:image/png;base64,${base64}`;

/** Left out where it cannot be believed: we count pictures ourselves. */
function usageOf({ usage }: JsonObject): JsonObject {
  if (!isJsonObject(usage)) return {};
  const prompt = readCount(usage.input_tokens ?? usage.prompt_tokens);
  const completion = readCount(usage.output_tokens ?? usage.completion_tokens);
  if (prompt === -1 || completion === -1) return {};
  return {
    usage: {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      completion_tokens_details: { image_tokens: completion },
    },
  };
}

/** Takes a whole answer with pictures and writes, at its end, the stream that a chat endpoint would have sent. */
class ChatStreamWriter implements Reframer {
  readonly #choiceCount: number;
  readonly #chunks: Buffer[] = [];
  keptBytes = 0;

  constructor(choiceCount: number) {
    this.#choiceCount = choiceCount;
  }

  push(chunk: Buffer): Buffer {
    this.#chunks.push(chunk);
    this.keptBytes += chunk.length + PIECE_BYTES;
    return NOTHING;
  }

  end(): Buffer {
    const read = readAnswer(Buffer.concat(this.#chunks));
    this.#chunks.length = 0;
    this.keptBytes = 0;
    if (read.kind === 'failure') return frame({ error: { message: 'no usable answer', code: 502 } });
    const pictures = picturesIn(read.json, this.#choiceCount);
    const frames = pictures.map((image, index) =>
      frame({ choices: [{ index, delta: { role: 'assistant', content: '', images: [image] }, finish_reason: null }] }),
    );
    const ends = Array.from({ length: Math.max(pictures.length, 1) }, (_, index) =>
      frame({ choices: [{ index, delta: {}, finish_reason: 'stop' }] }),
    );
    return Buffer.concat([...frames, ...ends, frame({ choices: [], ...usageOf(read.json) }), DONE]);
  }

  release(): Buffer {
    return NOTHING;
  }
}

const NOTHING = Buffer.alloc(0);
const DONE = Buffer.from('data: [DONE]\n\n');

const frame = (json: JsonObject): Buffer =>
  Buffer.from(`data: ${JSON.stringify({ object: 'chat.completion.chunk', ...json })}\n\n`);
