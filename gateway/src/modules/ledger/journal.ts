// Settlements on the local disk, for when the database is away: one line each with a checksum, synced before anyone is
// told that they are safe. Files belong to the process whose id their name begins with; those of the dead are adopted.

import { mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { errorCode } from '../../platform/db/connection-failure.ts';
import type { Logger } from '../../platform/logger.ts';

const EXTENSION = '.jsonl';
const DEAD_LETTER_NAME = 'dead-letter.txt';

const checksum = (text: string): string => crc32(text).toString(16).padStart(8, '0');

/** Adds a checksum, so that a torn or damaged line is found. */
export function formatLine(entry: unknown): string {
  const text = JSON.stringify(entry);
  return `${checksum(text)} ${text}\n`;
}

/** Null for a line that is torn or damaged. */
export function parseLine(line: string): unknown {
  const text = line.slice(9);
  if (line[8] !== ' ' || line.slice(0, 8) !== checksum(text)) return null;
  return JSON.parse(text);
}

type JournalFile = Readonly<{ path: string; entries: readonly unknown[]; byteLength: number }>;

export class Journal {
  readonly #folder: string;
  readonly #logger: Logger;
  readonly #ownerId: () => string;
  #sequence = 0;
  #buriedCount = 0;

  private constructor(folder: string, ownerId: () => string, logger: Logger) {
    this.#folder = folder;
    this.#ownerId = ownerId;
    this.#logger = logger;
  }

  static async open(dataDir: string, ownerId: () => string, logger: Logger): Promise<Journal> {
    const folder = join(dataDir, 'journal');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return new Journal(folder, ownerId, logger);
  }

  get buriedCount(): number {
    return this.#buriedCount;
  }

  /** Resolves when the entries are on the disk. */
  async append(entries: readonly unknown[]): Promise<void> {
    await this.#write(`${this.#ownerId()}${EXTENSION}`, entries);
  }

  /** Keeps an entry that the database refuses, for a person to look at. */
  async bury(entry: unknown): Promise<void> {
    this.#buriedCount += 1;
    await this.#write(DEAD_LETTER_NAME, [entry]);
  }

  /** Renames the file that this process has written, so that it can be replayed while new entries go to another. */
  async setAside(): Promise<void> {
    const written = (await this.#names()).filter((name) => name === `${this.#ownerId()}${EXTENSION}`);
    for (const name of written) await this.#claim(name);
  }

  /** Takes over the files whose owners are not among the living, this process's earlier ids included. */
  async adopt(livingIds: ReadonlySet<string>): Promise<void> {
    for (const name of await this.#names()) {
      const owner = name.slice(0, name.indexOf('.'));
      if (owner !== this.#ownerId() && !livingIds.has(owner)) await this.#claim(name);
    }
  }

  /** The files that are set aside, each read whole; damaged lines are buried and left out. */
  async *pending(): AsyncGenerator<JournalFile> {
    const own = (await this.#names()).filter((name) => name.startsWith(`${this.#ownerId()}.`));
    for (const name of own) {
      if (name !== `${this.#ownerId()}${EXTENSION}`) yield await this.#read(join(this.#folder, name));
    }
  }

  /** Removes a replayed file; false when it has grown since it was read, and must be replayed again. */
  async remove(file: JournalFile): Promise<boolean> {
    const { size } = await stat(file.path);
    if (size !== file.byteLength) return false;
    await unlink(file.path);
    await this.#syncFolder();
    return true;
  }

  async #names(): Promise<string[]> {
    return (await readdir(this.#folder)).filter((name) => name.endsWith(EXTENSION)).sort();
  }

  async #claim(name: string): Promise<void> {
    this.#sequence += 1;
    const claimed = `${this.#ownerId()}.${this.#sequence}-${process.hrtime.bigint()}${EXTENSION}`;
    try {
      await rename(join(this.#folder, name), join(this.#folder, claimed));
    } catch (error) {
      // Another process that started at the same time has adopted the file.
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }

  async #read(path: string): Promise<JournalFile> {
    const bytes = await readFile(path);
    const entries: unknown[] = [];
    const lines = bytes.toString('utf8').split('\n');
    const isTorn = lines.at(-1) !== '';
    for (const [index, line] of lines.entries()) {
      if (line === '') continue;
      const entry = parseLine(line);
      if (entry !== null) entries.push(entry);
      // A line that was cut off while it was written was never acknowledged to a client.
      else if (isTorn && index === lines.length - 1)
        this.#logger.warn({ path }, 'the journal ends in an incomplete line');
      else await this.#buryDamaged(path, line);
    }
    return { path, entries, byteLength: bytes.length };
  }

  async #buryDamaged(path: string, line: string): Promise<void> {
    this.#logger.error({ path }, 'a line of the journal is damaged and was moved to a file of its own');
    await this.bury({ damaged: line });
  }

  async #write(name: string, entries: readonly unknown[]): Promise<void> {
    const lines = entries.map(formatLine);
    // The leading line end keeps this write apart from one before it that failed half way.
    const file = await open(join(this.#folder, name), 'a', 0o600);
    try {
      await file.appendFile(`\n${lines.join('')}`);
      await file.datasync();
    } finally {
      await file.close();
    }
    await this.#syncFolder();
  }

  async #syncFolder(): Promise<void> {
    const folder = await open(this.#folder, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}
