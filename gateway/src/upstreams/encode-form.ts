// A form with files for an upstream (multipart/form-data), whose length is known beforehand and whose files are read
// piece by piece while it is sent. Its boundary is random, because a stranger who could guess it could put fields of
// their own into the form through a file.

import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../canonical/json.ts';
import type { UploadedFile } from '../canonical/submission.ts';
import type { UpstreamCall } from './protocol.ts';

export type FormField = readonly [name: string, value: string];

export type FormFile = Readonly<{
  name: string;
  file: Pick<UploadedFile, 'fileName' | 'contentType' | 'byteLength' | 'open'>;
}>;

const MEDIA_TYPE = /^[a-z0-9.+-]{1,64}\/[a-z0-9.+-]{1,64}$/i;

export function encodeForm(
  fields: readonly FormField[],
  files: readonly FormFile[],
): Pick<UpstreamCall, 'body'> & Readonly<{ contentType: string }> {
  const boundary = `tollgate-${randomBytes(24).toString('hex')}`;
  const opening = Buffer.from(fields.map((field) => fieldPart(boundary, field)).join(''));
  const heads = files.map((file) => Buffer.from(fileHead(boundary, file)));
  const closing = Buffer.from(`--${boundary}--\r\n`);
  const filesLength = files.reduce((sum, { file }) => sum + file.byteLength + LINE_END.length, 0);
  const headsLength = heads.reduce((sum, head) => sum + head.length, 0);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: {
      byteLength: opening.length + headsLength + filesLength + closing.length,
      async *open() {
        if (opening.length > 0) yield opening;
        for (const [index, { file }] of files.entries()) {
          yield heads[index] ?? LINE_END;
          yield* file.open();
          yield LINE_END;
        }
        yield closing;
      },
    },
  };
}

const LINE_END = Buffer.from('\r\n');

function fieldPart(boundary: string, [name, value]: FormField): string {
  return `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`;
}

function fileHead(boundary: string, { name, file }: FormFile): string {
  const disposition = `form-data; name="${quoted(name)}"; filename="${quoted(file.fileName)}"`;
  const type = MEDIA_TYPE.test(file.contentType) ? file.contentType : 'application/octet-stream';
  return `--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${type}\r\n\r\n`;
}

/** Escapes names as browsers do. */
function quoted(text: string): string {
  return text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}

// The members of a JSON body as fields of a form, which knows texts alone: a list is a field that comes several times,
// an object is written as JSON.

export function formFields(body: JsonObject, unsent: ReadonlySet<string>): readonly FormField[] {
  return Object.entries(body).flatMap(([name, value]) => (unsent.has(name) ? [] : fieldsOf(name, value)));
}

function fieldsOf(name: string, value: unknown): readonly FormField[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => fieldsOf(`${name}[]`, item));
  return [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]];
}
