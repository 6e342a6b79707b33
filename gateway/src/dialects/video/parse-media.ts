// The pictures and the video of a request. Their form is checked here; whether an address may be called, and has
// something at it, is checked later.

import { isFilled, isJsonObject, type JsonObject } from '../../canonical/json.ts';
import type { Submission, UploadedFile } from '../../canonical/submission.ts';
import type { VideoImage, VideoRequest } from '../../canonical/video.ts';
import { refuseField } from '../refuse.ts';

const REFERENCES_MAX = 9;
const FRAMES_MAX = 2;
const URL_LENGTH_MAX = 2_048;

type Frames = Pick<VideoRequest, 'firstFrame' | 'lastFrame'>;

type VideoMedia = Frames & Pick<VideoRequest, 'references' | 'inputVideoUrl'>;

export function parseMedia(body: JsonObject, { files }: Submission): VideoMedia {
  const reference = parseInputReference(body.input_reference, files);
  const frames = parseFrames(body.frame_images);
  if (reference !== null && frames.firstFrame !== null) {
    throw refuseField('input_reference', 'cannot be combined with frame_images');
  }
  const media = {
    firstFrame: frames.firstFrame ?? reference,
    lastFrame: frames.lastFrame,
    references: parseReferences(body.input_references),
    inputVideoUrl: parseInputVideo(body.input_video),
  };
  const kinds = [media.firstFrame !== null, media.references.length > 0, media.inputVideoUrl !== null];
  if (kinds.filter((isGiven) => isGiven).length > 1) {
    throw refuseField('frame_images, input_references and input_video', 'cannot be combined');
  }
  return media;
}

/** One picture, as a file of the form or by its address. */
function parseInputReference(value: unknown, files: readonly UploadedFile[]): VideoImage | null {
  const path = 'input_reference';
  const [file, ...others] = files.filter(({ fieldName }) => fieldName === path);
  if (others.length > 0) throw refuseField(path, 'must be one file');
  if (file !== undefined) return readFile(file, path);
  if (value === undefined || value === null) return null;
  const url = isJsonObject(value) ? value.image_url : value;
  return { kind: 'url', url: readUrl(url, isJsonObject(value) ? `${path}.image_url` : path), path };
}

const PICTURES: readonly (readonly [type: string, start: readonly number[]])[] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/webp', [0x52, 0x49, 0x46, 0x46]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
];

/** The type follows from the bytes, and not from the client's declaration. */
function readFile(file: UploadedFile, path: string): VideoImage {
  const found = PICTURES.find(([, start]) => start.every((byte, index) => file.head[index] === byte));
  if (found === undefined) throw refuseField(path, 'must be a PNG, JPEG, WebP or GIF image');
  return { kind: 'file', file: { ...file, contentType: found[0] }, path };
}

/** The first picture is the first frame and the second the last, unless they say otherwise. */
function parseFrames(value: unknown): Frames {
  const none = { firstFrame: null, lastFrame: null };
  if (value === undefined || value === null) return none;
  if (!Array.isArray(value)) throw refuseField('frame_images', 'must be an array');
  if (value.length === 0) return none;
  if (value.length > FRAMES_MAX) throw refuseField('frame_images', `may hold at most ${FRAMES_MAX} frames`);
  let firstFrame: VideoImage | null = null;
  let lastFrame: VideoImage | null = null;
  for (const [index, item] of value.entries()) {
    const path = `frame_images[${index}]`;
    const isLast = readFrameType(item, path) ?? index === 1;
    if ((isLast ? lastFrame : firstFrame) !== null) throw refuseField('frame_images', 'must not name a frame twice');
    if (isLast) lastFrame = readImage(item, path);
    else firstFrame = readImage(item, path);
  }
  if (firstFrame === null) throw refuseField('frame_images', 'must hold a first_frame beside the last_frame');
  return { firstFrame, lastFrame };
}

/** Whether it is the last frame; null where the item does not say. */
function readFrameType(item: unknown, path: string): boolean | null {
  if (!isJsonObject(item) || item.frame_type === undefined || item.frame_type === null) return null;
  if (item.frame_type === 'first_frame') return false;
  if (item.frame_type === 'last_frame') return true;
  throw refuseField(`${path}.frame_type`, 'must be first_frame or last_frame');
}

function parseReferences(value: unknown): readonly VideoImage[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length === 0 || value.length > REFERENCES_MAX) {
    throw refuseField('input_references', `must be an array of 1 to ${REFERENCES_MAX} images`);
  }
  return value.map((item, index) => readImage(item, `input_references[${index}]`));
}

function readImage(item: unknown, path: string): VideoImage {
  if (!isJsonObject(item)) return { kind: 'url', url: readUrl(item, path), path };
  if (item.type !== undefined && item.type !== 'image_url') throw refuseField(`${path}.type`, 'must be image_url');
  const { image_url: image } = item;
  const url = isJsonObject(image) ? image.url : (image ?? item.url);
  return { kind: 'url', url: readUrl(url, `${path}.image_url.url`), path };
}

function parseInputVideo(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (!isJsonObject(value)) return readUrl(value, 'input_video');
  const { video_url: video } = value;
  return readUrl(isJsonObject(video) ? video.url : (video ?? value.url), 'input_video.url');
}

function readUrl(value: unknown, path: string): string {
  if (!isFilled(value) || value.length > URL_LENGTH_MAX) {
    throw refuseField(path, `must be a URL of at most ${URL_LENGTH_MAX} characters`);
  }
  if (!/^https?:\/\//i.test(value)) throw refuseField(path, 'must be a public URL that begins with https://');
  return value;
}
