// POST /images/generations, and /images/edits where there are source pictures. Upstreams are not asked for a stream,
// because not all have one, nor for a form of answer: an address or bytes are both taken.

import type { ImagesAnswer, ImagesRequest, MadeImage } from '../../../canonical/images.ts';
import { madeImageOf } from '../../../canonical/images.ts';
import { isJsonObject, type JsonObject, listOrEmpty } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { UploadedFile } from '../../../canonical/submission.ts';
import { type Usage, zeroUsage } from '../../../canonical/usage.ts';
import { stringifyExactJson } from '../../../platform/exact-json.ts';
import { encodeForm, type FormField, formFields } from '../../encode-form.ts';
import { describeForLog } from '../../failure.ts';
import { mapImageSize } from '../../image-size.ts';
import type { Codec, Decoded, UpstreamCall, UpstreamReply } from '../../protocol.ts';
import { readAnswer } from '../../read-answer.ts';
import { readCount } from '../../read-count.ts';
import { decodeError } from './decode-error.ts';

/** Fields for the gateway, fields that it handles itself, and fields with another place. */
const UNSENT_FIELDS = new Set([
  'model',
  'models',
  'provider',
  'usage',
  'session_id',
  'transforms',
  'stream',
  'stream_options',
  'partial_images',
  'response_format',
  'size',
  'aspect_ratio',
  'image',
  'mask',
  'input_references',
]);
/** Ten pictures of six megabytes, in base64. */
const ANSWER_BYTES_MAX = 96 * 1024 * 1024;

export const imagesCodec: Codec<'images'> = {
  format: 'images',
  answerBytesMax: ANSWER_BYTES_MAX,
  encode: encodeImages,
  decode: decodeImages,
  decodeError,
};

function encodeImages(request: ImagesRequest, { model, upstreamModel }: Candidate): UpstreamCall {
  const { body, sources } = request;
  const size = mapImageSize(request.size, model.image?.sizes ?? []);
  return encodePictures({ fields: body, size, sources, upstreamModel });
}

type Pictures = Readonly<{
  fields: JsonObject;
  size: string | undefined;
  sources: readonly UploadedFile[];
  upstreamModel: string;
}>;

export function encodePictures({ fields: wishes, size, sources, upstreamModel }: Pictures): UpstreamCall {
  if (sources.length === 0) {
    const sent: JsonObject = { ...wishes, model: upstreamModel };
    for (const field of UNSENT_FIELDS) if (field !== 'model') delete sent[field];
    if (size !== undefined) sent.size = size;
    return { path: '/images/generations', body: stringifyExactJson(sent) };
  }
  const fields: FormField[] = [['model', upstreamModel], ...formFields(wishes, UNSENT_FIELDS)];
  if (size !== undefined) fields.push(['size', size]);
  const name = sources.length === 1 ? 'image' : 'image[]';
  const files = sources.map((file) => ({ name, file }));
  return { path: '/images/edits', ...encodeForm(fields, files) };
}

function decodeImages({ body }: UpstreamReply, { count }: ImagesRequest): Decoded<ImagesAnswer> {
  const read = readAnswer(body, ({ data }) => listOrEmpty(data).some((item) => readImage(item) !== NOTHING));
  if (read.kind === 'failure') {
    if (read.failure.kind !== 'malformed') return read;
    return { kind: 'failure', failure: { ...read.failure, code: 'pipeline_error' } };
  }
  const { data, usage } = read.json;
  // More pictures than were asked for are not covered by the reservation.
  const made = Array.isArray(data) ? data.slice(0, count).map(readImage) : [];
  if (made.length === 0) return withoutImages(read.json);
  return { kind: 'answer', answer: { made, shown: [] }, usage: readUsage(usage), finishReason: null };
}

/** An item that is no picture still counts as one that came; the check finds that it is none. */
function readImage(item: unknown): MadeImage {
  if (!isJsonObject(item)) return NOTHING;
  const { b64_json: base64, url } = item;
  if (typeof base64 === 'string') return { kind: 'bytes', bytes: Buffer.from(base64, 'base64') };
  return madeImageOf(url) ?? NOTHING;
}

const NOTHING: MadeImage = { kind: 'bytes', bytes: Buffer.alloc(0) };

function withoutImages(json: JsonObject): Decoded<ImagesAnswer> {
  const detail = describeForLog(`no images: ${Object.keys(json).join(' ')}`);
  const publicMessage = 'The provider answered without an image. Nothing was charged.';
  return { kind: 'failure', failure: { kind: 'malformed', code: 'no_images', publicMessage, detail } };
}

/** Tokens only; null when there are none, or none that can be believed. We count pictures ourselves. */
function readUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null;
  const promptTokens = readCount(value.input_tokens ?? value.prompt_tokens);
  const completionTokens = readCount(value.output_tokens ?? value.completion_tokens);
  if (promptTokens === -1 || completionTokens === -1) return null;
  return { ...zeroUsage, promptTokens, completionTokens, completionImageTokens: completionTokens };
}
