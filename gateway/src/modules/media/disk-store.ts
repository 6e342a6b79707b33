// Pictures in files under the data folder. Their total size is bounded, and they leave room on the disk for the database
// that may be beside them: when there is none the oldest are removed, because their readers have most likely fetched
// them, of whoever has most, so that nobody loses pictures to those of somebody who has more.

import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, statfs, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import { isMediaName, type MediaStore, type OpenMedia, ownerMarkIn, type StoredMedia } from './media-store.ts';

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

/** Of one owner, with their sizes; the oldest first. */
type KnownMedia = { readonly files: Map<string, number>; bytes: number };

type KnownFile = Readonly<{ path: string; byteLength: number; storedAtMs: number }>;

export class DiskStore implements MediaStore {
  readonly #folder: string;
  readonly #bytesMax: number;
  readonly #clock: Clock;
  readonly #spareBytes: (folder: string) => Promise<number>;
  /** By the mark of their owner. */
  readonly #known = new Map<string, KnownMedia>();
  readonly #writing = new Set<string>();
  #bytes = 0;
  #scanned: Promise<void> | null = null;

  constructor({ folder, bytesMax, clock, spareBytes = spareBytesOf }: DiskStoreOptions) {
    this.#folder = folder;
    this.#bytesMax = bytesMax;
    this.#clock = clock;
    this.#spareBytes = spareBytes;
  }

  async put(name: string, bytes: Buffer): Promise<void> {
    await this.#ready();
    if (this.#sizeOf(name) !== null && (await this.#renew(name))) return;
    const roomBytes = await this.#roomBytes();
    if (bytes.length > roomBytes) throw new Error('a picture is larger than the setting or the disk has room for');
    this.#remember(name, bytes.length);
    this.#writing.add(name);
    try {
      await this.#makeRoom(roomBytes, name);
      await this.#write(name, bytes);
    } finally {
      this.#writing.delete(name);
    }
  }

  async find(name: string): Promise<StoredMedia | null> {
    const { size } = (await missingAsNull(stat(this.#pathOf(name)))) ?? { size: null };
    return size === null ? null : { byteLength: size };
  }

  async open(name: string): Promise<OpenMedia | null> {
    const handle = await missingAsNull(open(this.#pathOf(name)));
    return handle === null ? null : openMedia(handle);
  }

  async sweep(beforeMs: number): Promise<number> {
    await this.#ready();
    let swept = 0;
    for (const { path, byteLength, storedAtMs } of await this.#files()) {
      const name = nameIn(path);
      if (storedAtMs >= beforeMs) {
        // Another process may have written it.
        if (name !== null && this.#sizeOf(name) === null) this.#remember(name, byteLength);
        continue;
      }
      await rm(path, { force: true });
      if (name !== null) this.#forget(name);
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
      const name = nameIn(path);
      if (name !== null) this.#remember(name, byteLength);
    }
  }

  async #renew(name: string): Promise<boolean> {
    const now = new Date(this.#clock.nowMs());
    const isThere = (await missingAsNull(utimes(this.#pathOf(name), now, now).then(() => true))) ?? false;
    const byteLength = this.#sizeOf(name);
    if (isThere && byteLength !== null) this.#remember(name, byteLength);
    return isThere;
  }

  /** The file gets its name only when it is complete. */
  async #write(name: string, bytes: Buffer): Promise<void> {
    const path = this.#pathOf(name);
    const temporaryPath = `${path}.${randomBytes(6).toString('hex')}`;
    const now = new Date(this.#clock.nowMs());
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    try {
      await writeFile(temporaryPath, bytes, { flag: 'wx', mode: 0o600 });
      await utimes(temporaryPath, now, now);
      await rename(temporaryPath, path);
    } catch (error) {
      this.#forget(name);
      await rm(temporaryPath, { force: true });
      throw error;
    }
  }

  /** For all pictures together. */
  async #roomBytes(): Promise<number> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    return Math.min(this.#bytesMax, this.#bytes + (await this.#spareBytes(this.#folder)));
  }

  async #makeRoom(roomBytes: number, putName: string): Promise<void> {
    while (this.#bytes > roomBytes) {
      const name = this.#oldestOfMost(putName);
      if (name === null) return;
      this.#forget(name);
      await rm(this.#pathOf(name), { force: true });
    }
  }

  /** Where others have as much as the owner of what is put, that owner's own. Null where all are still being written. */
  #oldestOfMost(putName: string): string | null {
    let most = this.#known.get(ownerMarkIn(putName));
    let oldest = this.#oldestOf(most);
    for (const owned of this.#known.values()) {
      if (oldest !== null && owned.bytes <= (most?.bytes ?? 0)) continue;
      const name = this.#oldestOf(owned);
      if (name === null) continue;
      most = owned;
      oldest = name;
    }
    return oldest;
  }

  #oldestOf(owned: KnownMedia | undefined): string | null {
    if (owned === undefined) return null;
    for (const name of owned.files.keys()) if (!this.#writing.has(name)) return name;
    return null;
  }

  #sizeOf(name: string): number | null {
    return this.#known.get(ownerMarkIn(name))?.files.get(name) ?? null;
  }

  #remember(name: string, byteLength: number): void {
    this.#forget(name);
    const mark = ownerMarkIn(name);
    const owned = this.#known.get(mark) ?? { files: new Map<string, number>(), bytes: 0 };
    this.#known.set(mark, owned);
    owned.files.set(name, byteLength);
    owned.bytes += byteLength;
    this.#bytes += byteLength;
  }

  #forget(name: string): void {
    const mark = ownerMarkIn(name);
    const owned = this.#known.get(mark);
    const byteLength = owned?.files.get(name);
    if (owned === undefined || byteLength === undefined) return;
    owned.files.delete(name);
    owned.bytes -= byteLength;
    this.#bytes -= byteLength;
    if (owned.files.size === 0) this.#known.delete(mark);
  }

  #pathOf(name: string): string {
    return join(this.#folder, name.slice(0, 2), name);
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
function nameIn(path: string): string | null {
  const name = basename(path);
  return isMediaName(name) ? name : null;
}

async function missingAsNull<Result>(work: Promise<Result>): Promise<Result | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
