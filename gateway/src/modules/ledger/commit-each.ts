// Commits a batch so that one bad entry cannot hold up the others: the batch is halved until the entry is alone, and
// then it is buried. A database that does not answer is not a bad entry; that failure is thrown.

import { errorCode } from '../../platform/db/connection-failure.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Charged, CommitSettlements } from './commit-settlements.ts';
import { asError } from './ledger-error.ts';
import type { SettlementEntry } from './settlement-entry.ts';

/** A commit that takes longer is not waited for: the journal has it sooner. */
const COMMIT_PATIENCE_MS = 3_000;

type Done = (entry: SettlementEntry, charged: Charged) => void;

/** Calls `done` once for each entry that was dealt with; those it was not called for when it throws are still open. */
export type CommitEach = (entries: readonly SettlementEntry[], done: Done) => Promise<void>;

export type CommitEachInput = Readonly<{
  commit: CommitSettlements;
  /** Keeps an entry that the database will not take for a person to look at. */
  bury: (entry: SettlementEntry) => Promise<void>;
  logger: Logger;
}>;

const NOTHING_CHARGED: Charged = { chargedNanoUsd: 0n };

/** Only a value that the database cannot take marks an entry as bad. Anything else may succeed later. */
export const isBadEntry = (error: unknown): boolean => /^2[23]...$/.test(errorCode(error) ?? '');

/** Rejects when a commit takes longer than anybody waits for one. */
export function inTime<Result>(work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the commit took too long')), COMMIT_PATIENCE_MS);
    const fail = (error: unknown): void => {
      clearTimeout(timer);
      reject(error);
    };
    work.then((result) => {
      clearTimeout(timer);
      resolve(result);
    }, fail);
  });
}

export function eachCommitter({ commit, bury, logger }: CommitEachInput): CommitEach {
  async function buryOne(entry: SettlementEntry, error: unknown, done: Done): Promise<void> {
    logger.error(
      { error: asError(error), generationId: entry.row.id },
      'a settlement cannot be written and was buried',
    );
    await bury(entry);
    done(entry, { ...NOTHING_CHARGED, isBuried: true });
  }

  async function report(
    entries: readonly SettlementEntry[],
    charged: ReadonlyMap<string, Charged>,
    done: Done,
  ): Promise<void> {
    for (const entry of entries) {
      const outcome = charged.get(entry.row.id);
      if (outcome !== undefined) done(entry, outcome);
      else if (entry.row.charge === '0') done(entry, NOTHING_CHARGED);
      else await buryOne(entry, new Error('there is no such account'), done);
    }
  }

  /** The last chance before a charge is given up: what was refused in company may pass alone. */
  async function commitAlone(entry: SettlementEntry, done: Done): Promise<void> {
    try {
      await report([entry], await inTime(commit([entry])), done);
    } catch (error) {
      if (!isBadEntry(error)) throw error;
      await buryOne(entry, error, done);
    }
  }

  async function commitEach(entries: readonly SettlementEntry[], done: Done): Promise<void> {
    let charged: ReadonlyMap<string, Charged>;
    try {
      charged = await inTime(commit(entries));
    } catch (error) {
      if (!isBadEntry(error)) throw error;
      const [only] = entries;
      if (entries.length === 1 && only !== undefined) return commitAlone(only, done);
      const middle = entries.length >> 1;
      await commitEach(entries.slice(0, middle), done);
      return commitEach(entries.slice(middle), done);
    }
    await report(entries, charged, done);
  }

  return commitEach;
}
