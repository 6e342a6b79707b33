// Checks the content of one message, string or parts, and measures it on the way. Paths are built only when something
// is refused, because this runs for every message of every call.

import { isFilled, isJsonObject, isSet, type JsonObject } from '../../canonical/json.ts';
import { ApiError } from '../../errors/api-error.ts';
import { isEncryptedPdf } from '../detect-encrypted-pdf.ts';
import {
  addAudio,
  addFile,
  addImage,
  addVideo,
  jsonTokens,
  type PromptTokens,
  textTokens,
} from '../estimate-prompt.ts';
import { dataUriPayloadStart } from '../media-address.ts';
import { isPicture, PICTURE_TYPES } from '../picture-types.ts';
import { refuseField, refuseMissing } from '../refuse.ts';

/** Grows while the messages of one request are read; it never leaves the parser. */
export type PromptTally = PromptTokens & {
  imageCount: number;
  fileCount: number;
  audioCount: number;
  videoCount: number;
  /** An image address without TLS: allowed for reading, refused where an image is made from it. */
  hasPlainHttpImage: boolean;
  hasImageWithoutText: boolean;
};

export function createTally(): PromptTally {
  return {
    tokens: 0,
    tokensBeyond: 0,
    pictures: 0,
    imageCount: 0,
    fileCount: 0,
    audioCount: 0,
    videoCount: 0,
    hasPlainHttpImage: false,
    hasImageWithoutText: false,
  };
}

type PartReader = (part: JsonObject, path: () => string, tally: PromptTally) => void;

const URL_LENGTH_MAX = 8_192;
/** `%PDF-`, whatever the rest of the first group is. */
const PDF_SIGNATURE_BASE64 = 'JVBERi';

const BASE64 = /^[\w+/=\s-]+$/;
/** Enough to tell a data URI or an address from sound. */
const LOOKED_AT_LENGTH = 64;
const VIDEO_START = 'data:video/';

export type PartReaders = ReadonlyMap<unknown, PartReader>;

/** OpenAI's own models take only text from tools; clients of others send what a tool has photographed or read, too. */
export const TOOL_PARTS: PartReaders = new Map<string, PartReader>([
  ['text', readText],
  ['image_url', readImage],
  ['file', readFile],
]);

export const USER_PARTS: PartReaders = new Map<string, PartReader>([
  ['text', readText],
  ['image_url', readImage],
  ['file', readFile],
  ['input_audio', readAudio],
  ['video_url', readVideo],
]);

/** A client sends an answer back as the model gave it: a refusal, or thinking and sources among its content. */
export const ASSISTANT_PARTS: PartReaders = new Map([
  ...USER_PARTS,
  ['refusal', readRefusal],
  ['thinking', readAnything],
  ['reference', readAnything],
]);

export function readParts(parts: readonly unknown[], index: number, readers: PartReaders, tally: PromptTally): void {
  const imagesBefore = tally.imageCount;
  let hasText = false;
  for (let position = 0; position < parts.length; position += 1) {
    const part = parts[position];
    const path = (): string => `messages[${index}].content[${position}]`;
    if (!isJsonObject(part)) throw refuseField(path(), 'must be an object');
    const reader = readers.get(part.type);
    if (reader === undefined) throw refuseField(`${path()}.type`, `must be one of ${[...readers.keys()].join(', ')}`);
    reader(part, path, tally);
    if (reader === readText && part.text !== '') hasText = true;
  }
  // What a tool has photographed needs no words of its own.
  if (tally.imageCount > imagesBefore && !hasText && readers !== TOOL_PARTS) tally.hasImageWithoutText = true;
}

/** The payload of an audio part, and of the request's own `input_audio`. */
export function readAudioPayload(audio: unknown, path: () => string, tally: PromptTally): void {
  if (!isJsonObject(audio)) throw refuseField(path(), 'must be an object');
  const data = audio.data;
  if (data === undefined) throw refuseMissing(`${path()}.data`);
  if (typeof data !== 'string') throw refuseField(`${path()}.data`, 'must be a string');
  if (!BASE64.test(data.slice(0, LOOKED_AT_LENGTH))) {
    throw refuseField(`${path()}.data`, 'must be plain base64, without the data: prefix');
  }
  if (audio.format === undefined) throw refuseMissing(`${path()}.format`);
  if (!isFilled(audio.format)) throw refuseField(`${path()}.format`, 'must be a string such as wav or mp3');
  tally.audioCount += 1;
  addAudio(tally, data, audio.format);
}

function readText(part: JsonObject, path: () => string, tally: PromptTally): void {
  const text = part.text;
  if (text === undefined) throw refuseMissing(`${path()}.text`);
  if (typeof text !== 'string') throw refuseField(`${path()}.text`, 'must be a string');
  tally.tokens += textTokens(text);
}

function readRefusal(part: JsonObject, path: () => string, tally: PromptTally): void {
  const refusal = part.refusal;
  if (typeof refusal !== 'string') throw refuseField(`${path()}.refusal`, 'must be a string');
  tally.tokens += textTokens(refusal);
}

/** A part that only one vendor has, and reads itself. */
function readAnything(part: JsonObject, _path: () => string, tally: PromptTally): void {
  tally.tokens += jsonTokens(part);
}

function readImage(part: JsonObject, path: () => string, tally: PromptTally): void {
  const image = part.image_url;
  if (!isJsonObject(image)) throw refuseField(`${path()}.image_url`, 'must be an object with a url');
  const url = image.url;
  if (url === undefined) throw refuseMissing(`${path()}.image_url.url`);
  if (typeof url !== 'string') throw refuseField(`${path()}.image_url.url`, 'must be a string');
  const detail = image.detail;
  if (isSet(detail) && typeof detail !== 'string') throw refuseField(`${path()}.image_url.detail`, 'must be a string');
  const scheme = mediaScheme(url);
  if (scheme === null || (scheme === 'data' && !isPicture(url.slice('data:'.length, url.indexOf(';'))))) {
    throw new ApiError(
      'invalid_image_url',
      `${path()}.image_url.url must be an http or https URL, or a base64 data URI of a picture (${PICTURE_TYPES}).`,
    );
  }
  if (scheme === 'http') tally.hasPlainHttpImage = true;
  tally.imageCount += 1;
  addImage(tally, url);
}

function readVideo(part: JsonObject, path: () => string, tally: PromptTally): void {
  const video = part.video_url;
  if (!isJsonObject(video)) throw refuseField(`${path()}.video_url`, 'must be an object with a url');
  const url = video.url;
  if (url === undefined) throw refuseMissing(`${path()}.video_url.url`);
  if (typeof url !== 'string') throw refuseField(`${path()}.video_url.url`, 'must be a string');
  const scheme = mediaScheme(url);
  if (scheme === null || (scheme === 'data' && !url.startsWith(VIDEO_START))) {
    throw refuseField(`${path()}.video_url.url`, 'must be an http or https URL, or a base64 data URI of a video');
  }
  tally.videoCount += 1;
  addVideo(tally, url);
}

function readFile(part: JsonObject, path: () => string, tally: PromptTally): void {
  const file = part.file;
  if (!isJsonObject(file)) throw refuseField(`${path()}.file`, 'must be an object with file_data');
  // An upstream's file id belongs to the gateway's own account there, which all callers share.
  if (isSet(file.file_id)) {
    throw new ApiError('unsupported_param', `${path()}.file.file_id is not supported. Send file_data instead.`);
  }
  const filename = file.filename;
  if (isSet(filename) && typeof filename !== 'string') throw refuseField(`${path()}.file.filename`, 'must be a string');
  const data = file.file_data;
  if (data === undefined) throw refuseMissing(`${path()}.file.file_data`);
  const payloadStart = typeof data === 'string' ? dataUriPayloadStart(data) : -1;
  if (typeof data !== 'string' || payloadStart === -1) {
    throw refuseField(`${path()}.file.file_data`, 'must be a base64 data URI; URLs are not accepted');
  }
  const isPdf = data.startsWith('data:application/pdf') || data.startsWith(PDF_SIGNATURE_BASE64, payloadStart);
  if (isPdf && isEncryptedPdf(data, payloadStart)) {
    throw refuseField(`${path()}.file.file_data`, 'is a password-protected PDF; send it without a password');
  }
  tally.fileCount += 1;
  addFile(tally, data, { isPdf, mediaType: data.slice('data:'.length, payloadStart) });
}

function readAudio(part: JsonObject, path: () => string, tally: PromptTally): void {
  readAudioPayload(part.input_audio, () => `${path()}.input_audio`, tally);
}

function mediaScheme(url: string): 'data' | 'https' | 'http' | null {
  if (url.startsWith('data:')) return dataUriPayloadStart(url) === -1 ? null : 'data';
  if (url.length > URL_LENGTH_MAX) return null;
  // URL schemes are case-insensitive, and what follows must name a host.
  const start = url.slice(0, 8).toLowerCase();
  if (start === 'https://') return url.length > 8 ? 'https' : null;
  return start.startsWith('http://') && url.length > 7 ? 'http' : null;
}
