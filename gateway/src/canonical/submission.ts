// What a client sent, before a dialect has read it: a JSON object, or a form with files. A form's fields are members of
// the same object, always as text; a name that came several times, or ends in [], is a list of texts.

import type { JsonDocument } from '../platform/json-document.ts';
import type { JsonObject } from './json.ts';

export type UploadedFile = Readonly<{
  /** The form's name for it, without a trailing []. */
  fieldName: string;
  /** As the client named it, without any path; may be empty. */
  fileName: string;
  /** As the client declared it, which proves nothing. */
  contentType: string;
  byteLength: number;
  /** The first bytes, up to 4 KB, for code that must check what the file really is. */
  head: Buffer;
  /** The whole file from the beginning; may be called again until the response is closed. */
  open(): AsyncIterable<Buffer>;
}>;

export type Submission = Readonly<{
  body: JsonObject;
  /** The body as it came; missing for a form. */
  source?: JsonDocument;
  files: readonly UploadedFile[];
  isForm: boolean;
}>;

export type FormLimits = Readonly<{
  filesMax: number;
  fileBytesMax: number;
  /** Fields that are not files: how many, and the length of each in bytes. */
  fieldsMax: number;
  fieldBytesMax: number;
  /** The error to throw, where the interface has one of its own for it. */
  refuseLargeFile?(fieldName: string): Error;
  refuseMoreFiles?(): Error;
}>;
