// Pictures in files under the data folder, named by their digests. Their total size is bounded, and they leave room on
// the disk for the database that may be beside them: when there is none the oldest are removed, because their readers
// have most likely fetched them.

import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, statfs, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import { DIGEST, type MediaStore, type OpenMedia, type StoredMedia } from './media-store.ts';

type DiskStoreOptions = Readonly<{
  folder: string;
  bytesMax: number;
  clock: Clock;
  /** How much of the disk pictures may still take; asked of the system where it is left out. */
  spareBytes?: (folder: string) => Promise<number>;
}>;

/** What stays free: a twentieth of a disk, and no more than the log of the embedded database may take. */
const FREE_SHARE = 20;
const FREE_BYTES_MAX = 512 * 1024 * 1024;

type KnownFile = Readonly<{ path: string; byteLength: number; storedAtMs: number }>;

export class DiskStore implements MediaStore {
  readonly #folder: string;
  readonly #bytesMax: number;
  readonly #clock: Clock;
  readonly #spareBytes: (folder: string) => Promise<number>;
  /** The oldest first. */
  readonly #known = new Map<string, number>();
  #bytes = 0;
  #scanned: Promise<void> | null = null;

  constructor({ folder, bytesMax, clock, spareBytes = spareBytesOf }: DiskStoreOptions) {
    this.#folder = folder;
    this.#bytesMax = bytesMax;
    this.#clock = clock;
    this.#spareBytes = spareBytes;
  }

  async put(digest: string, bytes: Buffer): Promise<void> {
    await this.#ready();
    if (this.#known.has(digest) && (await this.#renew(digest))) return;
    const roomBytes = await this.#roomBytes();
    if (bytes.length > roomBytes) throw new Error('a picture is larger than the setting or the disk has room for');
    this.#remember(digest, bytes.length);
    await this.#makeRoom(roomBytes);
    await this.#write(digest, bytes);
  }

  async find(digest: string): Promise<StoredMedia | null> {
    const { size } = (await missingAsNull(stat(this.#pathOf(digest)))) ?? { size: null };
    return size === null ? null : { byteLength: size };
  }

  async open(digest: string): Promise<OpenMedia | null> {
    const handle = await missingAsNull(open(this.#pathOf(digest)));
    return handle === null ? null : openMedia(handle);
  }

  async sweep(beforeMs: number): Promise<number> {
    await this.#ready();
    let swept = 0;
    for (const { path, byteLength, storedAtMs } of await this.#files()) {
      const digest = digestOf(path);
      if (storedAtMs >= beforeMs) {
        // Another process may have written it.
        if (digest !== null && !this.#known.has(digest)) this.#remember(digest, byteLength);
        continue;
      }
      await rm(path, { force: true });
      if (digest !== null) this.#forget(digest);
      swept += 1;
    }
    return swept;
  }

  /** Files of an earlier process count too. A folder that could not be read is read again. */
  #ready(): Promise<void> {
    this.#scanned ??= this.#scan().catch((error: unknown) => {
      this.#scanned = null;
      throw error;
    });
    return this.#scanned;
  }

  async #scan(): Promise<void> {
    const byAge = (await this.#files()).toSorted((left, right) => left.storedAtMs - right.storedAtMs);
    for (const { path, byteLength } of byAge) {
      const digest = digestOf(path);
      if (digest !== null) this.#remember(digest, byteLength);
    }
  }

  async #renew(digest: string): Promise<boolean> {
    const now = new Date(this.#clock.nowMs());
    const isThere = (await missingAsNull(utimes(this.#pathOf(digest), now, now).then(() => true))) ?? false;
    const byteLength = this.#known.get(digest);
    if (isThere && byteLength !== undefined) this.#remember(digest, byteLength);
    return isThere;
  }

  /** The file gets its name only when it is complete. */
  async #write(digest: string, bytes: Buffer): Promise<void> {
    const path = this.#pathOf(digest);
    const temporaryPath = `${path}.${randomBytes(6).toString('hex')}`;
    const now = new Date(this.#clock.nowMs());
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    try {
      await writeFile(temporaryPath, bytes, { flag: 'wx', mode: 0o600 });
      await utimes(temporaryPath, now, now);
      await rename(temporaryPath, path);
    } catch (error) {
      this.#forget(digest);
      await rm(temporaryPath, { force: true });
      throw error;
    }
  }

  /** For all pictures together. */
  async #roomBytes(): Promise<number> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    return Math.min(this.#bytesMax, this.#bytes + (await this.#spareBytes(this.#folder)));
  }

  async #makeRoom(roomBytes: number): Promise<void> {
    for (const digest of this.#known.keys()) {
      if (this.#bytes <= roomBytes) return;
      this.#forget(digest);
      await rm(this.#pathOf(digest), { force: true });
    }
  }

  #remember(digest: string, byteLength: number): void {
    this.#forget(digest);
    this.#known.set(digest, byteLength);
    this.#bytes += byteLength;
  }

  #forget(digest: string): void {
    this.#bytes -= this.#known.get(digest) ?? 0;
    this.#known.delete(digest);
  }

  #pathOf(digest: string): string {
    return join(this.#folder, digest.slice(0, 2), digest);
  }

  async #files(): Promise<readonly KnownFile[]> {
    const entries = (await missingAsNull(readdir(this.#folder, { recursive: true, withFileTypes: true }))) ?? [];
    const files: KnownFile[] = [];
    for (const entry of entries) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const found = await missingAsNull(stat(path));
      if (found !== null) files.push({ path, byteLength: found.size, storedAtMs: found.mtimeMs });
    }
    return files;
  }
}

/** Some file systems do not say how large they are. */
async function spareBytesOf(folder: string): Promise<number> {
  const { blocks, bavail, bsize } = await statfs(folder);
  if (blocks === 0) return Number.POSITIVE_INFINITY;
  return bavail * bsize - Math.min(FREE_BYTES_MAX, (blocks * bsize) / FREE_SHARE);
}

async function openMedia(handle: FileHandle): Promise<OpenMedia> {
  try {
    const { size } = await handle.stat();
    return { byteLength: size, body: handle.createReadStream() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Null for a file that is still being written. */
function digestOf(path: string): string | null {
  const name = basename(path);
  return DIGEST.test(name) ? name : null;
}

async function missingAsNull<Result>(work: Promise<Result>): Promise<Result | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
