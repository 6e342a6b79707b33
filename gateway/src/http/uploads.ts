// Files that clients send, kept while their call lasts: small ones in memory, larger ones on disk. A file on disk has no
// name from the moment it is open, so whatever ends the process also removes it; and all of them together are bounded.

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
  /** No more will be written. */
  finish(): StoredFile;
  /** Forgets the file; what is read of it now ends in an error. */
  discard(): Promise<void>;
}>;

export type Uploads = Readonly<{ create(): FileWriter }>;

const MEMORY_BYTES_MAX = 256 * 1024;
const HEAD_BYTES_MAX = 4 * 1024;
const READ_BYTES = 64 * 1024;
/** On disk, for all calls of this process together. */
const DISK_BYTES_MAX = 4 * 1024 * 1024 * 1024;

export function createUploads(folder: string, diskBytesMax = DISK_BYTES_MAX): Uploads {
  const disk: DiskSpace = { folder, bytesMax: diskBytesMax, bytes: 0 };
  return { create: () => new Upload(disk) };
}

type DiskSpace = { readonly folder: string; readonly bytesMax: number; bytes: number };

class Upload implements FileWriter {
  readonly #disk: DiskSpace;
  #chunks: Buffer[] = [];
  #handle: FileHandle | null = null;
  #bytes = 0;
  #diskBytes = 0;
  #head = Buffer.alloc(0);
  #isDiscarded = false;

  constructor(disk: DiskSpace) {
    this.#disk = disk;
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
    this.#disk.bytes -= this.#diskBytes;
    await this.#handle?.close();
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
    if (this.#disk.bytes + chunk.length > this.#disk.bytesMax) {
      throw new ApiError('http_503', 'Too many files are being uploaded. Try again shortly.', { retryAfterSeconds: 5 });
    }
    this.#disk.bytes += chunk.length;
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
