// Files that clients send, kept while their call lasts: small ones in memory, larger ones on disk. A file on disk is
// unlinked as soon as it is open, so the end of the process removes it too. The size of all files together is bounded,
// and so is that of one caller, who could otherwise keep others from sending any.

import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../errors/api-error.ts';

/** What was received of one file. */
export type StoredFile = Readonly<{
  byteLength: number;
  head: Buffer;
  open(): AsyncIterable<Buffer>;
}>;

export type FileWriter = Readonly<{
  write(chunk: Buffer): Promise<void>;
  /** Nothing more will be written. */
  finish(): StoredFile;
  /** Drops the file; reading it afterwards fails. */
  discard(): Promise<void>;
}>;

export type Uploads = Readonly<{
  /** Counted for the caller who sends it. */
  create(caller: string): FileWriter;
}>;

const MEMORY_BYTES_MAX = 256 * 1024;
const HEAD_BYTES_MAX = 4 * 1024;
const READ_BYTES = 64 * 1024;
/** On disk, for all calls of this process together. */
const DISK_BYTES_MAX = 4 * 1024 * 1024 * 1024;
/** One caller may use one part in this many. */
const CALLERS_SHARE = 8;

export function createUploads(folder: string, diskBytesMax = DISK_BYTES_MAX): Uploads {
  const disk: DiskSpace = { folder, bytesMax: diskBytesMax, bytes: 0, bytesOf: new Map() };
  return { create: (caller) => new Upload(disk, caller) };
}

type DiskSpace = {
  readonly folder: string;
  readonly bytesMax: number;
  bytes: number;
  /** Only callers who have files on disk now. */
  readonly bytesOf: Map<string, number>;
};

class Upload implements FileWriter {
  readonly #disk: DiskSpace;
  #chunks: Buffer[] = [];
  #handle: FileHandle | null = null;
  #bytes = 0;
  #diskBytes = 0;
  #head = Buffer.alloc(0);
  #isDiscarded = false;

  readonly #caller: string;

  constructor(disk: DiskSpace, caller: string) {
    this.#disk = disk;
    this.#caller = caller;
  }

  async write(chunk: Buffer): Promise<void> {
    if (this.#head.length < HEAD_BYTES_MAX) this.#head = Buffer.concat([this.#head, chunk]).subarray(0, HEAD_BYTES_MAX);
    this.#bytes += chunk.length;
    if (this.#handle === null && this.#bytes <= MEMORY_BYTES_MAX) {
      this.#chunks.push(chunk);
      return;
    }
    if (this.#handle === null) await this.#moveToDisk();
    await this.#append(chunk);
  }

  finish(): StoredFile {
    const handle = this.#handle;
    const byteLength = this.#bytes;
    if (handle !== null) return { byteLength, head: this.#head, open: () => readAll(handle, byteLength) };
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    return { byteLength, head: this.#head, open: () => onePiece(bytes) };
  }

  async discard(): Promise<void> {
    if (this.#isDiscarded) return;
    this.#isDiscarded = true;
    this.#chunks = [];
    this.#use(-this.#diskBytes);
    await this.#handle?.close();
  }

  #use(bytes: number): void {
    this.#disk.bytes += bytes;
    const used = (this.#disk.bytesOf.get(this.#caller) ?? 0) + bytes;
    if (used > 0) this.#disk.bytesOf.set(this.#caller, used);
    else this.#disk.bytesOf.delete(this.#caller);
  }

  async #moveToDisk(): Promise<void> {
    await mkdir(this.#disk.folder, { recursive: true, mode: 0o700 });
    const path = join(this.#disk.folder, randomUUID());
    const handle = await open(path, 'wx+', 0o600);
    await unlink(path);
    this.#handle = handle;
    if (this.#isDiscarded) await handle.close();
    const chunks = this.#chunks;
    this.#chunks = [];
    for (const chunk of chunks) await this.#append(chunk);
  }

  async #append(chunk: Buffer): Promise<void> {
    if (this.#isDiscarded || this.#handle === null) throw new ApiError('http_400', 'The request ended early.');
    const { bytes, bytesMax, bytesOf } = this.#disk;
    if (bytes + chunk.length > bytesMax) {
      throw new ApiError('http_503', 'Too many files are being uploaded. Try again shortly.', { retryAfterSeconds: 5 });
    }
    if ((bytesOf.get(this.#caller) ?? 0) + chunk.length > bytesMax / CALLERS_SHARE) {
      throw new ApiError('http_429', 'You are uploading too many files at once. Let some of them end first.', {
        retryAfterSeconds: 5,
      });
    }
    this.#use(chunk.length);
    this.#diskBytes += chunk.length;
    await this.#handle.appendFile(chunk);
  }
}

async function* onePiece(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function* readAll(handle: FileHandle, byteLength: number): AsyncGenerator<Buffer> {
  for (let position = 0; position < byteLength; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, position);
    if (bytesRead === 0) throw new Error('an uploaded file is shorter than it was');
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
