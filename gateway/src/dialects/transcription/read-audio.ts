// The recording of a transcription: a file of the form, or base64 inside JSON, which becomes a file too.

import { isJsonObject } from '../../canonical/json.ts';
import type { Submission, UploadedFile } from '../../canonical/submission.ts';
import { refuseField, refuseMissing } from '../refuse.ts';

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
const FORMAT = /^[a-z0-9]{1,16}$/i;
const HEAD_BYTES = 4_096;

export function readAudio({ body, files, isForm }: Submission): UploadedFile {
  return isForm ? readFile(files) : readPayload(body.input_audio);
}

function readFile(files: readonly UploadedFile[]): UploadedFile {
  const [file, ...others] = files.filter(({ fieldName }) => fieldName === 'file');
  if (file === undefined) throw refuseMissing('file');
  if (others.length > 0) throw refuseField('file', 'must be one file');
  if (file.byteLength === 0) throw refuseField('file', 'must not be empty');
  return file;
}

function readPayload(audio: unknown): UploadedFile {
  if (audio === undefined || audio === null) throw refuseMissing('file (in a form) or input_audio (in JSON)');
  if (!isJsonObject(audio)) throw refuseField('input_audio', 'must be an object');
  const { data, format } = audio;
  if (data === undefined || data === null) throw refuseMissing('input_audio.data');
  if (format === undefined || format === null) throw refuseMissing('input_audio.format');
  if (typeof data !== 'string' || !BASE64.test(data)) throw refuseField('input_audio.data', 'must be base64');
  if (typeof format !== 'string' || !FORMAT.test(format)) {
    throw refuseField('input_audio.format', 'must be the name of a format, such as wav or mp3');
  }
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length === 0) throw refuseField('input_audio.data', 'must not be empty');
  return {
    fieldName: 'file',
    fileName: `audio.${format.toLowerCase()}`,
    contentType: `audio/${format.toLowerCase()}`,
    byteLength: bytes.length,
    head: bytes.subarray(0, HEAD_BYTES),
    open: () => onePiece(bytes),
  };
}

async function* onePiece(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
