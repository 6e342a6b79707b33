// The pictures that others are made from: files of a form, or data URIs inside JSON, which become files too. The first
// bytes decide whether it is a picture, and not its name.

import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import type { FormLimits, Submission, UploadedFile } from '../../canonical/submission.ts';
import { ApiError } from '../../errors/api-error.ts';
import { type RasterType, rasterTypeOf } from '../../platform/raster-image.ts';
import { refuseField } from '../refuse.ts';

/** Specification, Limits: up to eight, 10 MB each. */
const SOURCES_MAX = 8;
const SOURCE_BYTES_MAX = 10_485_760;
const FIELDS_MAX = 32;
const FIELD_BYTES_MAX = 128 * 1024;
const HEAD_BYTES = 4_096;
const DATA_URI = /^data:image\/[a-z0-9.+-]{1,32};base64,/i;

export const SOURCE_LIMITS: FormLimits = {
  filesMax: SOURCES_MAX,
  fileBytesMax: SOURCE_BYTES_MAX,
  fieldsMax: FIELDS_MAX,
  fieldBytesMax: FIELD_BYTES_MAX,
  refuseLargeFile: () => tooLarge(),
  refuseMoreFiles: () => tooMany(),
};

/** At least one is required. */
export function readSourceFiles({ files, body }: Submission): readonly UploadedFile[] {
  if (body.mask !== undefined || files.some(({ fieldName }) => fieldName === 'mask')) {
    throw new ApiError('mask_not_supported', 'mask is not supported. Say in the prompt what is to be changed.');
  }
  const other = files.find(({ fieldName }) => fieldName !== 'image');
  if (other !== undefined) throw refuseField(other.fieldName, 'must not be a file; pictures are sent as image');
  if (files.length === 0) throw new ApiError('missing_image', 'image is required: at least one file to be edited.');
  return files.map(asRaster);
}

/** None where the body has no references. */
export function readReferences({ input_references: references }: JsonObject): readonly UploadedFile[] {
  if (references === undefined || references === null) return [];
  if (!Array.isArray(references)) throw refuseField('input_references', 'must be an array');
  if (references.length > SOURCES_MAX) throw tooMany();
  return references.map((reference, index) => asRaster(readReference(reference, `input_references[${index}]`)));
}

/** Upstreams take files here, and the gateway does not fetch addresses for them. */
function readReference(reference: unknown, path: string): UploadedFile {
  const image = isJsonObject(reference) ? reference.image_url : undefined;
  const url = isJsonObject(image) ? image.url : undefined;
  const head = typeof url === 'string' ? DATA_URI.exec(url.slice(0, 64))?.[0] : undefined;
  if (typeof url !== 'string' || head === undefined) {
    throw new ApiError('invalid_image_url', `${path}.image_url.url must be a base64 data URI of an image.`);
  }
  const bytes = Buffer.from(url.slice(head.length), 'base64');
  if (bytes.length > SOURCE_BYTES_MAX) throw tooLarge();
  return {
    fieldName: 'image',
    fileName: '',
    contentType: '',
    byteLength: bytes.length,
    head: bytes.subarray(0, HEAD_BYTES),
    open: () => onePiece(bytes),
  };
}

async function* onePiece(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

const extensions: Readonly<Record<RasterType, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
};

function asRaster(file: UploadedFile): UploadedFile {
  const contentType = rasterTypeOf(file.head);
  if (contentType === null) {
    throw new ApiError('invalid_image_type', 'Each image must be a PNG, JPEG, WebP or GIF file.');
  }
  const fileName = file.fileName === '' ? `image.${extensions[contentType]}` : file.fileName;
  return { ...file, contentType, fileName };
}

function tooLarge(): ApiError {
  return new ApiError('image_too_large', `Each image may have at most ${SOURCE_BYTES_MAX} bytes.`);
}

function tooMany(): ApiError {
  return new ApiError('too_many_images', `At most ${SOURCES_MAX} images can be sent.`);
}
