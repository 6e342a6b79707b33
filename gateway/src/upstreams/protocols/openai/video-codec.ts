// POST /videos: orders a video, as a form where a picture is sent as a file, and as JSON otherwise. Only known fields
// are sent, because an unknown one could order more than was paid for.

import type { JsonObject } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { UpstreamVideo, VideoImage, VideoRequest } from '../../../canonical/video.ts';
import { stringifyExactJson } from '../../../platform/exact-json.ts';
import { encodeForm, type FormField } from '../../encode-form.ts';
import type { Codec, Decoded, UpstreamCall, UpstreamReply } from '../../protocol.ts';
import { malformedAnswer, readAnswer } from '../../read-answer.ts';
import { decodeSupportError } from './decode-support-error.ts';
import { readVideo } from './read-video.ts';

export const videoCodec: Codec<'video'> = {
  format: 'video',
  encode: encodeVideo,
  decode: decodeVideo,
  decodeError: decodeSupportError,
};

const PATH = '/videos';

function encodeVideo(request: VideoRequest, { upstreamModel }: Candidate): UpstreamCall {
  const { firstFrame } = request;
  const order: JsonObject = { model: upstreamModel, ...orderOf(request) };
  if (firstFrame?.kind !== 'file') return { path: PATH, body: stringifyExactJson(order) };
  const fields = Object.entries(order).map(([name, value]): FormField => [name, textOf(value)]);
  return { path: PATH, ...encodeForm(fields, [{ name: 'input_reference', file: namedFile(firstFrame.file) }]) };
}

/** A single first frame is called a reference in this protocol; it has no fields for the rest. */
function orderOf(request: VideoRequest): JsonObject {
  const { prompt, seconds, size, resolution, aspectRatio, hasAudio, hasWatermark, seed } = request;
  const order: JsonObject = { prompt };
  if (seconds !== null) order.seconds = String(seconds);
  if (size !== null) order.size = size;
  else if (resolution !== null) order.resolution = resolution;
  if (size === null && aspectRatio !== null) order.aspect_ratio = aspectRatio;
  if (hasAudio !== null) order.generate_audio = hasAudio;
  if (hasWatermark !== null) order.watermark = hasWatermark;
  if (seed !== null) order.seed = seed;
  return { ...order, ...mediaOf(request) };
}

function mediaOf({ firstFrame, lastFrame, references, inputVideoUrl }: VideoRequest): JsonObject {
  if (inputVideoUrl !== null) return { input_video: inputVideoUrl };
  if (references.length > 0) return { input_references: references.flatMap((image) => imageOf(image)) };
  if (firstFrame?.kind !== 'url') return {};
  if (lastFrame === null) return { input_reference: { image_url: firstFrame.url } };
  return { frame_images: [...imageOf(firstFrame, 'first_frame'), ...imageOf(lastFrame, 'last_frame')] };
}

function imageOf(image: VideoImage, frameType?: string): readonly JsonObject[] {
  if (image.kind !== 'url') return [];
  const frame = frameType === undefined ? {} : { frame_type: frameType };
  return [{ type: 'image_url', image_url: { url: image.url }, ...frame }];
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const EXTENSIONS: Readonly<Record<string, string>> = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' };

/** Upstreams go by the ending of the name. */
function namedFile(file: Extract<VideoImage, { kind: 'file' }>['file']): typeof file {
  return { ...file, fileName: `reference.${EXTENSIONS[file.contentType] ?? 'gif'}` };
}

function decodeVideo({ body }: UpstreamReply): Decoded<UpstreamVideo> {
  const read = readAnswer(body, isOrdered);
  if (read.kind === 'failure') return read;
  const video = readVideo(read.json);
  if (video === null) return malformedAnswer('no job');
  return { kind: 'answer', answer: video, usage: null, finishReason: null };
}

/** An order that was taken is made and charged, and another one would be a second video. */
function isOrdered(json: JsonObject): boolean {
  const status = readVideo(json)?.status ?? 'failed';
  return status !== 'failed' && status !== 'unknown';
}
