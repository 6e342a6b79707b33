// The file of an archived month: one entry in each line, compressed with gzip. Its digest is that of the lines and not
// of the compressed bytes, so that it may be compressed again.

import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { CommandError } from './command.ts';

/**
 * Writes the whole file under a name of its own, syncs it to the disk and only then gives it its name, so that a file
 * of that name is complete. One that is there already is left as it is.
 */
export async function writeJournalFile(path: string, pages: AsyncIterable<readonly string[]>): Promise<void> {
  if (existsSync(path)) return;
  const text = async function* (): AsyncGenerator<string> {
    for await (const lines of pages) if (lines.length > 0) yield `${lines.join('\n')}\n`;
  };
  const partial = `${path}.${randomUUID()}.partial`;
  try {
    await pipeline(Readable.from(text()), createGzip(), createWriteStream(partial, { flags: 'wx', flush: true }));
    await rename(partial, path);
  } catch (cause) {
    await rm(partial, { force: true });
    if (cause instanceof CommandError) throw cause;
    throw new CommandError(`${path} could not be written: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
}

/** The sums of the file's entries by account, as in a checkpoint. */
export type FileSums = { entries: bigint; creditedNanoUsd: bigint; spentNanoUsd: bigint; takenNanoUsd: bigint };
type ExportedJournal = Readonly<{ sha256: string; entries: number; sums: ReadonlyMap<string, FileSums> }>;

type Entry = Readonly<{ kind: string; debit: string; credit: string; amountNanoUsd: string }>;

export async function readJournalFile(path: string): Promise<ExportedJournal> {
  const hash = createHash('sha256');
  const sums = new Map<string, FileSums>();
  let entries = 0;
  try {
    const bytes = createReadStream(path);
    const text = createGunzip();
    bytes.on('error', (error) => text.destroy(error));
    for await (const line of createInterface({ input: bytes.pipe(text), crlfDelay: Number.POSITIVE_INFINITY })) {
      hash.update(`${line}\n`);
      add(sums, JSON.parse(line) as Entry);
      entries += 1;
    }
  } catch (cause) {
    throw new CommandError(`${path} could not be read: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  return { sha256: hash.digest('hex'), entries, sums };
}

function add(sums: Map<string, FileSums>, { kind, debit, credit, amountNanoUsd }: Entry): void {
  const amount = BigInt(amountNanoUsd);
  const of = (account: string): FileSums => {
    const known = sums.get(account);
    if (known !== undefined) return known;
    const fresh = { entries: 0n, creditedNanoUsd: 0n, spentNanoUsd: 0n, takenNanoUsd: 0n };
    sums.set(account, fresh);
    return fresh;
  };
  if (!debit.startsWith('system-')) {
    const side = of(debit);
    side.entries += 1n;
    if (kind === 'reclaim' || kind === 'adjustment') {
      side.creditedNanoUsd -= amount;
      side.takenNanoUsd += amount;
    } else side.spentNanoUsd += amount;
  }
  if (!credit.startsWith('system-')) {
    const side = of(credit);
    side.entries += 1n;
    if (kind === 'refund') side.spentNanoUsd -= amount;
    else side.creditedNanoUsd += amount;
  }
}
