// Forms with files (multipart/form-data), read as they come: a file goes to memory or disk through `uploads`, never whole
// through this process's hands, and everything a client chooses is bounded. How to use it:
//
//   const { body, files } = await readForm(exchange, { filesMax: 8, fileBytesMax: 10 MB, ... }, services.uploads);
//
// `body` has the fields as text (`name[]`, or a name sent twice, is a list) and `files` every file in the order sent, to
// be read with `for await (const bytes of file.open())`, as often as wanted. The files are gone when the response closes,
// so nobody has to clean up. The row's `bodyBytesMax` bounds the whole body (413); a file or field over its limit, too many
// of either and anything malformed is a 400 that says so. Dialects state their limits in `intake` and need not call this.

import { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { Busboy, type BusboyEvents, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import type { JsonObject } from '../canonical/json.ts';
import type { FormLimits, Submission, UploadedFile } from '../canonical/submission.ts';
import { ApiError } from '../errors/api-error.ts';
import { assert } from '../platform/assert.ts';
import { beginBody, bodyBytesMax, bodyTooLarge } from './body.ts';
import type { Exchange } from './exchange.ts';
import type { FileWriter } from './uploads.ts';

const HEADER_BYTES_MAX = 4 * 1024;
const HEADERS_MAX = 16;
const NAME_LENGTH_MAX = 100;
/** After everything has been read, the rest is done within two or three turns of the loop. */
const TURNS_MAX = 10;
const FILE_NAME_LENGTH_MAX = 255;
const TYPE_LENGTH_MAX = 127;
/** RFC 2046: a boundary has at most seventy characters, none of them a line break. */
const BOUNDARY = /;\s*boundary=(?:"[^"\r\n]{1,70}"|[^\s;"]{1,70})\s*(?:;|$)/i;

export const isForm = (exchange: Exchange): boolean =>
  /^multipart\/form-data\b/i.test(exchange.request.headers['content-type'] ?? '');

export async function readForm(
  exchange: Exchange,
  limits: FormLimits,
  createFile: () => FileWriter,
): Promise<Submission> {
  const type = exchange.request.headers['content-type'] ?? '';
  if (!BOUNDARY.test(type)) throw new ApiError('http_400', 'The form has no usable boundary in its Content-Type.');
  const reader = new FormReader(type, limits, createFile);
  exchange.response.once('close', () => reader.discard());
  try {
    await reader.read(exchange);
    return reader.submission();
  } catch (error) {
    reader.discard();
    // The rest is read and dropped, because otherwise the next request on this connection would wait behind it.
    exchange.request.resume();
    throw error;
  }
}

class FormReader {
  readonly #limits: FormLimits;
  readonly #createFile: () => FileWriter;
  readonly #parser: BusboyInstance;
  readonly #body = new Map<string, string | string[]>();
  readonly #streams: BusboyFileStream[] = [];
  readonly #writers: FileWriter[] = [];
  readonly #files: Promise<UploadedFile>[] = [];
  #received: readonly UploadedFile[] = [];
  /** The first problem; nothing is read after it. */
  #problem: Error | null = null;
  #onProblem: () => void = () => {};

  constructor(contentType: string, limits: FormLimits, createFile: () => FileWriter) {
    this.#limits = limits;
    this.#createFile = createFile;
    this.#parser = new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        fieldSize: limits.fieldBytesMax,
        fields: limits.fieldsMax,
        fileSize: limits.fileBytesMax,
        files: limits.filesMax,
        parts: limits.filesMax + limits.fieldsMax,
        headerPairs: HEADERS_MAX,
        headerSize: HEADER_BYTES_MAX,
      },
    });
    this.#parser.on('field', (name, value, _, isCut) => this.#takeField(name, value, isCut));
    this.#parser.on('file', (...part) => this.#takeFile(part));
    this.#parser.on('filesLimit', () => this.#fail(limits.refuseMoreFiles?.() ?? tooMany('files', limits.filesMax)));
    this.#parser.on('fieldsLimit', () => this.#fail(tooMany('fields', limits.fieldsMax)));
    this.#parser.on('partsLimit', () => this.#fail(tooMany('parts', limits.filesMax + limits.fieldsMax)));
    this.#parser.on('error', () => this.#fail(malformed()));
  }

  async read(exchange: Exchange): Promise<void> {
    const bytesMax = bodyBytesMax(exchange.route);
    let isFinished = false;
    this.#parser.once('finish', () => {
      isFinished = true;
    });
    let bytes = 0;
    for await (const chunk of bodyOf(exchange)) {
      bytes += chunk.length;
      if (bytes > bytesMax) this.#fail(bodyTooLarge(bytesMax));
      if (this.#problem !== null) break;
      if (!this.#parser.write(chunk)) await this.#drained();
    }
    if (this.#problem === null) {
      this.#parser.end();
      await Promise.allSettled(this.#files);
      // A part whose head does not end makes the parser wait forever, although everything has been read.
      for (let turn = 0; turn < TURNS_MAX && !isFinished && this.#problem === null; turn += 1) await setImmediate();
      if (!isFinished) this.#fail(malformed());
    }
    if (this.#problem !== null) throw this.#problem;
    this.#received = await Promise.all(this.#files);
  }

  submission(): Submission {
    return { body: Object.fromEntries(this.#body) as JsonObject, files: this.#received, isForm: true };
  }

  discard(): void {
    for (const stream of this.#streams) stream.destroy();
    // A file that cannot be closed is left to the operating system.
    for (const writer of this.#writers) writer.discard().catch(() => {});
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#parser.once('drain', resolve);
      this.#onProblem = resolve;
      if (this.#problem !== null) resolve();
    });
  }

  #fail(problem: Error): void {
    this.#problem ??= problem;
    this.#onProblem();
  }

  #takeField(sentName: string | undefined, value: string, isCut: boolean): void {
    const name = this.#nameOf(sentName);
    if (name === null) return;
    if (isCut) {
      const limit = this.#limits.fieldBytesMax;
      this.#fail(new ApiError('http_400', `${name} is longer than ${limit} bytes.`));
      return;
    }
    const earlier = this.#body.get(name);
    if (earlier !== undefined) this.#body.set(name, [...(Array.isArray(earlier) ? earlier : [earlier]), value]);
    else this.#body.set(name, sentName?.endsWith('[]') ? [value] : value);
  }

  #takeFile(part: FilePart): void {
    const [sentName, stream] = part;
    const name = this.#nameOf(sentName);
    if (name === null) {
      stream.resume();
      return;
    }
    const writer = this.#createFile();
    this.#streams.push(stream);
    this.#writers.push(writer);
    const received = this.#receive(part, name, writer);
    // `#problem` reports the failure; the stream itself must still be read to its end.
    received.catch((error: unknown) => {
      this.#fail(error instanceof ApiError ? error : malformed());
      stream.resume();
    });
    this.#files.push(received);
  }

  async #receive(part: FilePart, fieldName: string, writer: FileWriter): Promise<UploadedFile> {
    const [, stream, fileName, , contentType] = part;
    for await (const chunk of stream) await writer.write(chunk as Buffer);
    if (stream.truncated) throw this.#limits.refuseLargeFile?.(fieldName) ?? this.#tooLarge(fieldName);
    return {
      ...writer.finish(),
      fieldName,
      fileName: ((fileName as string | undefined) ?? '').slice(0, FILE_NAME_LENGTH_MAX),
      contentType: contentType.slice(0, TYPE_LENGTH_MAX),
    };
  }

  #tooLarge(fieldName: string): ApiError {
    return new ApiError('http_413', `${fieldName} is larger than ${this.#limits.fileBytesMax} bytes.`);
  }

  /** Null when the name is refused. */
  #nameOf(sent: string | undefined): string | null {
    const name = sent?.endsWith('[]') ? sent.slice(0, -2) : sent;
    if (name === undefined || name === '') this.#fail(new ApiError('http_400', 'A part of the form has no name.'));
    else if (name.length > NAME_LENGTH_MAX) this.#fail(new ApiError('http_400', 'A name in the form is too long.'));
    else if (name === '__proto__')
      this.#fail(new ApiError('http_400', 'The name "__proto__" is not allowed in forms.'));
    else return name;
    return null;
  }
}

type FilePart = Parameters<BusboyEvents['file']>;

/** Reads piece by piece; ending early leaves the connection open, so that it can carry the refusal. */
async function* bodyOf(exchange: Exchange): AsyncGenerator<Buffer> {
  beginBody(exchange);
  const { request } = exchange;
  assert(request instanceof IncomingMessage, 'forms are read by Node');
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) yield chunk as Buffer;
  } catch (error) {
    throw new ApiError('http_400', 'The request body ended early. Send it again.', { cause: error });
  }
}

function tooMany(what: string, limit: number): ApiError {
  return new ApiError('http_400', `The form has more than ${limit} ${what}.`);
}

function malformed(): ApiError {
  return new ApiError('http_400', 'The form is not valid multipart/form-data.');
}
