// Checks the blocks of a message or of a tool's output, and measures them on the way. Paths are built only when
// something is refused, because this runs for every item of every call.

import { isFilled, isJsonObject, isSet, type JsonObject } from '../../canonical/json.ts';
import { ApiError } from '../../errors/api-error.ts';
import { isEncryptedPdf } from '../detect-encrypted-pdf.ts';
import { addAudio, addFile, addImage, type PromptTokens, textTokens } from '../estimate-prompt.ts';
import { dataUriPayloadStart, readMediaSource } from '../media-address.ts';
import { isPicture, PICTURE_TYPES } from '../picture-types.ts';
import { refuseField, refuseMissing } from '../refuse.ts';

/** Grows while the items of one request are read; it never leaves the parser. */
export type InputTally = PromptTokens & { imageCount: number; fileCount: number; audioCount: number };

type BlockReader = (block: JsonObject, path: () => string, tally: InputTally) => void;

type ItemReaders = ReadonlyMap<unknown, BlockReader>;

/** `%PDF-`, whatever the rest of the first group is. */
const PDF_SIGNATURE_BASE64 = 'JVBERi';

const readText = textReader('text');

/** A model's message can only be text; some clients call it `input_text` when they send it back. */
export const ASSISTANT_BLOCKS: ItemReaders = new Map([
  ['output_text', readText],
  ['refusal', textReader('refusal')],
  ['input_text', readText],
]);

export const INPUT_BLOCKS: ItemReaders = new Map<string, BlockReader>([
  ['input_text', readText],
  ['input_image', readImage],
  ['input_file', readFile],
  ['input_audio', readAudio],
  ['output_text', readText],
]);

/** A tool's output may be anything that a model can read. */
export const OUTPUT_BLOCKS: ItemReaders = new Map<string, BlockReader>([
  ['input_text', readText],
  ['input_image', readImage],
  ['input_file', readFile],
  ['output_text', readText],
]);

type ContentPlace = Readonly<{ readers: ItemReaders; path: () => string }>;

export function parseContent(content: unknown, place: ContentPlace, tally: InputTally): void {
  if (typeof content === 'string') {
    tally.tokens += textTokens(content);
    return;
  }
  if (content === undefined || content === null) throw refuseMissing(place.path());
  if (!Array.isArray(content)) throw refuseField(place.path(), 'must be a string or an array of content blocks');
  for (let position = 0; position < content.length; position += 1) {
    const block: unknown = content[position];
    const path = (): string => `${place.path()}[${position}]`;
    if (!isJsonObject(block)) throw refuseField(path(), 'must be an object');
    const reader = place.readers.get(block.type);
    if (reader === undefined) {
      throw refuseField(`${path()}.type`, `must be one of ${[...place.readers.keys()].join(', ')}`);
    }
    reader(block, path, tally);
  }
}

function textReader(member: string): BlockReader {
  return (block, path, tally) => {
    const text = block[member];
    if (typeof text !== 'string') throw refuseField(`${path()}.${member}`, 'must be a string');
    tally.tokens += textTokens(text);
  };
}

function readImage(block: JsonObject, path: () => string, tally: InputTally): void {
  refuseFileId(block, path, 'image_url');
  const { image_url: address, detail } = block;
  if (address === undefined || address === null) throw refuseMissing(`${path()}.image_url`);
  if (typeof address !== 'string') throw refuseField(`${path()}.image_url`, 'must be a string');
  if (isSet(detail) && typeof detail !== 'string') throw refuseField(`${path()}.detail`, 'must be a string');
  const source = readMediaSource(address);
  if (source === null || (source.kind === 'base64' && !isPicture(source.mediaType))) {
    throw new ApiError(
      'invalid_image_url',
      `${path()}.image_url must be an http or https URL, or a base64 data URI of a picture (${PICTURE_TYPES}).`,
    );
  }
  tally.imageCount += 1;
  addImage(tally, address);
}

function readFile(block: JsonObject, path: () => string, tally: InputTally): void {
  refuseFileId(block, path, 'file_data');
  const { file_data: data, file_url: address, filename } = block;
  if (isSet(address)) {
    throw new ApiError('unsupported_param', `${path()}.file_url is not supported. Send file_data instead.`);
  }
  if (isSet(filename) && typeof filename !== 'string') throw refuseField(`${path()}.filename`, 'must be a string');
  if (data === undefined || data === null) throw refuseMissing(`${path()}.file_data`);
  const payloadStart = typeof data === 'string' ? dataUriPayloadStart(data) : -1;
  if (typeof data !== 'string' || payloadStart === -1) {
    throw refuseField(`${path()}.file_data`, 'must be a base64 data URI; URLs are not accepted');
  }
  const isPdf = data.startsWith('data:application/pdf') || data.startsWith(PDF_SIGNATURE_BASE64, payloadStart);
  if (isPdf && isEncryptedPdf(data, payloadStart)) {
    throw refuseField(`${path()}.file_data`, 'is a password-protected PDF; send it without a password');
  }
  tally.fileCount += 1;
  addFile(tally, data, { isPdf, mediaType: data.slice('data:'.length, payloadStart) });
}

/** An upstream's file id belongs to the gateway's own account there, which all callers share. */
function refuseFileId(block: JsonObject, path: () => string, instead: string): void {
  if (block.file_id === undefined || block.file_id === null) return;
  throw new ApiError('unsupported_param', `${path()}.file_id is not supported. Send ${instead} instead.`);
}

function readAudio(block: JsonObject, path: () => string, tally: InputTally): void {
  const audio = block.input_audio;
  if (!isJsonObject(audio)) throw refuseField(`${path()}.input_audio`, 'must be an object with data and format');
  if (typeof audio.data !== 'string' || audio.data.startsWith('data:')) {
    throw refuseField(`${path()}.input_audio.data`, 'must be plain base64, without the data: prefix');
  }
  if (!isFilled(audio.format)) throw refuseField(`${path()}.input_audio.format`, 'must be a string such as wav or mp3');
  tally.audioCount += 1;
  addAudio(tally, audio.data, audio.format);
}
