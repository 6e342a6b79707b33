// Settlements that the database has taken, kept in local files for a while: a standby that is promoted may lack the
// newest of them, and what a client was told that it paid must stand. No answer waits for these files and they are not
// synced; they are the second copy.

import { appendFile, mkdir, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import { errorCode } from '../../platform/db/connection-failure.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import { formatLine, type Journal, parseLine } from './journal.ts';
import { type FinishedCall, type SettlementEntry, settlementEntry } from './settlement-entry.ts';
import { findCharges } from './store/settlements.ts';

const WRITE_MS = 100;
/** The time that one file covers; files are removed as a whole. */
const FILE_MS = 60_000;
const FILES_BYTES_MAX = 512 * 1024 * 1024;
/** Settlements that are read together, the newest first. */
const CHUNK = 500;

type KeptSettlementsInput = Readonly<{
  dataDir: string;
  /** 0 keeps nothing. */
  keepMs: number;
  ownerId: () => string;
  clock: Clock;
  logger: Logger;
}>;

type Kept = FinishedCall | SettlementEntry;

const entryOf = (kept: Kept): SettlementEntry => ('row' in kept ? kept : settlementEntry(kept.record, kept));

export class KeptSettlements {
  readonly #input: KeptSettlementsInput;
  readonly #folder: string;
  #pending: Kept[] = [];
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();
  #file = '';
  #fileSinceMs = Number.NEGATIVE_INFINITY;
  #hasComplained = false;
  /** The id of the newest charge that the database is known to have taken. */
  lastId: string | null = null;

  constructor(input: KeptSettlementsInput) {
    this.#input = input;
    this.#folder = join(input.dataDir, 'kept-settlements');
  }

  async open(): Promise<void> {
    if (this.#input.keepMs > 0) await mkdir(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** Notes what the database has just taken. */
  add(kept: Kept): void {
    if (isFree(kept)) return;
    this.lastId = 'row' in kept ? kept.row.id : kept.record.id;
    if (this.#input.keepMs === 0) return;
    this.#pending.push(kept);
    this.#timer ??= setTimeout(() => void this.flush(), WRITE_MS).unref();
  }

  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const pending = this.#pending;
    this.#pending = [];
    if (pending.length > 0) this.#writing = this.#writing.then(() => this.#write(pending));
    await this.#writing;
  }

  /** Takes over the files of processes that no longer exist. */
  async adopt(livingIds: ReadonlySet<string>): Promise<void> {
    for (const name of await this.#names()) {
      const owner = name.slice(0, name.indexOf('.'));
      if (owner === this.#input.ownerId() || livingIds.has(owner)) continue;
      try {
        await rename(
          join(this.#folder, name),
          join(this.#folder, `${this.#input.ownerId()}${name.slice(owner.length)}`),
        );
      } catch (error) {
        if (errorCode(error) !== 'ENOENT') throw error;
      }
    }
  }

  /** Reads in chunks, the newest first: files of this process under any of its ids, and adopted ones. */
  async *newestFirst(ownIds: ReadonlySet<string>): AsyncGenerator<SettlementEntry[]> {
    await this.flush();
    const own = (await this.#names()).filter((name) => ownIds.has(name.slice(0, name.indexOf('.'))));
    own.sort((one, other) => startOf(other) - startOf(one));
    for (const name of own) {
      const lines = (await readFile(join(this.#folder, name), 'utf8')).split('\n').reverse();
      for (let start = 0; start < lines.length; start += CHUNK) {
        const entries = lines.slice(start, start + CHUNK).map((line) => (line === '' ? null : parseLine(line)));
        yield entries.filter((entry): entry is SettlementEntry => entry !== null);
      }
    }
  }

  async #write(pending: readonly Kept[]): Promise<void> {
    const nowMs = this.#input.clock.nowMs();
    if (nowMs - this.#fileSinceMs >= FILE_MS || nowMs < this.#fileSinceMs) {
      this.#fileSinceMs = nowMs;
      this.#file = `${this.#input.ownerId()}.${Math.round(nowMs)}.jsonl`;
      await this.#forget(nowMs).catch(() => {});
    }
    try {
      await appendFile(join(this.#folder, this.#file), pending.map((kept) => formatLine(entryOf(kept))).join(''), {
        mode: 0o600,
      });
      this.#hasComplained = false;
    } catch (error) {
      if (!this.#hasComplained)
        this.#input.logger.warn({ error: asError(error) }, 'settlements could not be kept in local files');
      this.#hasComplained = true;
    }
  }

  /** Removes old files of all processes, because a process that is gone cannot. */
  async #forget(nowMs: number): Promise<void> {
    const files = (await this.#names()).sort((one, other) => startOf(other) - startOf(one));
    let bytes = 0;
    for (const name of files) {
      bytes += (await stat(join(this.#folder, name))).size;
      const isOld = nowMs - startOf(name) > this.#input.keepMs + FILE_MS;
      if (isOld || bytes > FILES_BYTES_MAX) await unlink(join(this.#folder, name));
    }
  }

  async #names(): Promise<string[]> {
    if (this.#input.keepMs === 0) return [];
    return (await readdir(this.#folder)).filter((name) => name.endsWith('.jsonl'));
  }
}

const startOf = (name: string): number => Number(name.split('.')[1]);

const isFree = (kept: Kept): boolean => ('row' in kept ? kept.row.charge === '0' : kept.chargeNanoUsd === 0n);

// After a fail-over: finds the charges that this process was told are committed and that the new server does not have.
// They are named in the log, counted for an alarm, and written to the journal, from which they are charged again before
// any call is admitted.

/** Only the newest charges can be lost: after this many chunks without a gap nothing older is missing. */
const WHOLE_CHUNKS = 2;

export type LostCharges = { count: number };

type RestoreInput = Readonly<{
  kept: KeptSettlements;
  journal: Journal;
  lost: LostCharges;
  logger: Logger;
}>;

async function missingOf(session: Queryable, entries: readonly SettlementEntry[]): Promise<SettlementEntry[]> {
  const known = await findCharges(
    session,
    entries.map(({ row }) => row.id),
  );
  return entries.filter(({ row }) => !known.has(row.id));
}

/** Answers whether anything has to be replayed. */
export async function restoreLost(
  input: RestoreInput,
  session: Queryable,
  ownIds: ReadonlySet<string>,
): Promise<boolean> {
  const { kept, journal, lost, logger } = input;
  const missing: SettlementEntry[] = [];
  let whole = 0;
  for await (const entries of kept.newestFirst(ownIds)) {
    if (entries.length === 0) continue;
    const absent = await missingOf(session, entries);
    missing.push(...absent);
    whole = absent.length === 0 ? whole + 1 : 0;
    if (whole >= WHOLE_CHUNKS) break;
  }
  if (missing.length === 0) {
    logger.warn({}, 'after the fail-over no charge of this process is missing');
    return false;
  }
  await journal.append(missing);
  lost.count += missing.length;
  for (const { row } of missing) {
    const what = { generationId: row.id, accountId: row.account_id, chargeNanoUsd: row.charge };
    logger.error({ alert: 'failover', ...what }, 'a committed charge was lost in the fail-over and is charged again');
  }
  logger.error(
    { alert: 'failover', charges: missing.length },
    'the fail-over has lost commits: a person has to look for credits and changes of the same moments',
  );
  return true;
}
