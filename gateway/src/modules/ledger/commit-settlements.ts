// Writes finished calls whose charges are limited to what their accounts can carry, folds them at once, and answers
// what each was charged. The same entries may be given again: a charge that is there already is read back and not made
// again.

import { errorCode } from '../../platform/db/connection-failure.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import { lesserOf, type NanoUsd } from '../../platform/money.ts';
import type { AccountSlices } from './cap-slices.ts';
import type { AccountFund } from './fund.ts';
import type { PriceSnapshot } from './price-usage.ts';
import { type Charged, type PendingSettlement, type SettlementEntry, settlementEntry } from './settlement-entry.ts';
import type { Slice } from './slice.ts';
import { foldBatch } from './store/fold.ts';
import { keepPriceLists, readCharges, type SettlementRow, writeSettlements } from './store/settlements.ts';

/** By generation id. An entry whose account is missing is left out. */
type CommitSettlements = (entries: readonly SettlementEntry[]) => Promise<ReadonlyMap<string, Charged>>;

const KNOWN_PRICE_LISTS_MAX = 10_000;

const hasCharge = (entry: SettlementEntry): boolean => entry.row.charge !== '0';

type Priced = Readonly<{ priceList: PriceSnapshot | null }>;

/** Price lists that this process has seen stored are not sent again. */
export class PriceListKeeper {
  readonly #known = new Set<string>();

  /** Null when all price lists are stored, which is nearly always so. */
  keepNew(queryable: Queryable, calls: readonly Priced[]): Promise<void> | null {
    let unknown: Map<string, string> | null = null;
    for (const { priceList } of calls) {
      if (priceList === null || this.#known.has(priceList.id)) continue;
      unknown ??= new Map();
      unknown.set(priceList.id, priceList.text);
    }
    return unknown === null ? null : this.#keep(queryable, unknown);
  }

  async #keep(queryable: Queryable, unknown: ReadonlyMap<string, string>): Promise<void> {
    const lists = [...unknown].map(([id, text]) => `{"id":${JSON.stringify(id)},"list":${text}}`);
    await keepPriceLists(queryable, `[${lists.join(',')}]`);
    if (this.#known.size > KNOWN_PRICE_LISTS_MAX) this.#known.clear();
    for (const id of unknown.keys()) this.#known.add(id);
  }
}

/** Runs in a transaction, which keeps the accounts locked until the charges are folded. */
export async function commitEntries(
  transaction: Queryable,
  processId: string,
  entries: readonly SettlementEntry[],
): Promise<ReadonlyMap<string, Charged>> {
  await new PriceListKeeper().keepNew(transaction, entries);
  const written = await writeSettlements(transaction, processId, JSON.stringify(entries.map(({ row }) => row)));
  const batchNo = written[0]?.batchNo;
  if (batchNo !== undefined) await foldBatch(transaction, processId, batchNo);
  const charged = new Map<string, Charged>();
  for (const { generationId, chargedNanoUsd } of written) {
    if (generationId !== null && chargedNanoUsd !== null) charged.set(generationId, { chargedNanoUsd });
  }
  const silent = entries.filter((entry) => hasCharge(entry) && !charged.has(entry.row.id));
  if (silent.length === 0) return charged;
  const standing = await readCharges(
    transaction,
    silent.map((entry) => entry.row.id),
  );
  for (const [id, chargedNanoUsd] of standing) {
    charged.set(id, { chargedNanoUsd, isStanding: true });
  }
  return charged;
}

export const settlementCommitter =
  (database: Database, processId: () => string): CommitSettlements =>
  (entries) =>
    database.transaction((transaction) => commitEntries(transaction, processId(), entries));

// Writes settlements whose slices are in doubt or gone. The row names how much this process still has set aside, or can
// spare of its own slice of the account: the database takes that much out of the slice and the rest out of what is
// available, so memory and row agree.

/** An entry, with its settlement where this process made it. */
export type Doubtful = Readonly<{ entry: SettlementEntry; settlement: PendingSettlement | null }>;

export type CommitClamped = (
  doubtful: readonly Doubtful[],
  done: (doubtful: Doubtful, charged: Charged) => void,
) => Promise<void>;

/** A part of this process's own slice that replaces one that is gone. */
class Backing {
  readonly #slice: Slice<AccountFund>;
  readonly partNanoUsd: NanoUsd;

  constructor(slice: Slice<AccountFund>, upToNanoUsd: NanoUsd) {
    this.#slice = slice;
    this.partNanoUsd = slice.takeUpTo(upToNanoUsd);
    slice.open();
    slice.beginSettling(this.partNanoUsd, this.partNanoUsd);
  }

  end(charged: Charged): void {
    const takenNanoUsd = charged.isStanding ? 0n : lesserOf(charged.chargedNanoUsd, this.partNanoUsd);
    this.#slice.endSettling(this.partNanoUsd, takenNanoUsd);
    this.#slice.close();
  }

  /** It is unknown whether the row was lowered, so this part is not used again. */
  lose(): void {
    this.#slice.endSettling(this.partNanoUsd, this.partNanoUsd);
    this.#slice.close();
    this.#slice.isUncertain = true;
  }
}

const noneOf = (row: SettlementRow): SettlementRow =>
  row.counter_ids === undefined ? row : { ...row, counter_parts: row.counter_ids.map(() => '0') };

export function clampedCommitter(commitEach: CommitEach, accounts: AccountSlices): CommitClamped {
  function backingOf({ account_id: accountId, charge }: SettlementRow): Backing | null {
    const slice = accounts.table.find(accountId);
    return slice === undefined || charge === '0' ? null : new Backing(slice, BigInt(charge));
  }

  return async (doubtful, done) => {
    const open = new Map<SettlementEntry, Readonly<{ of: Doubtful; backing: Backing | null }>>();
    for (const one of doubtful) {
      const { entry, settlement } = one;
      if (settlement?.isAccountBacked) {
        const { row } = settlementEntry(settlement.record, settlement);
        open.set({ ...entry, row: { ...row, account_part: row.charge } }, { of: one, backing: null });
        continue;
      }
      const backing = backingOf(entry.row);
      const row = settlement === null ? noneOf(entry.row) : settlementEntry(settlement.record, settlement).row;
      open.set(
        { ...entry, row: { ...row, account_part: (backing?.partNanoUsd ?? 0n).toString() } },
        { of: one, backing },
      );
    }
    try {
      await commitEach([...open.keys()], (entry, charged) => {
        const ended = open.get(entry);
        open.delete(entry);
        if (ended === undefined) return;
        ended.backing?.end(charged);
        done(ended.of, charged);
      });
    } finally {
      for (const { backing } of open.values()) backing?.lose();
    }
  };
}

// Commits a batch so that one bad entry cannot hold up the others: the batch is halved until the entry is alone, and
// then it is buried. A database that does not answer is not a bad entry; that failure is thrown.

/** When a commit takes longer, the settlements go to the journal, which is faster. */
const COMMIT_PATIENCE_MS = 3_000;

type Done = (entry: SettlementEntry, charged: Charged) => void;

/** Calls `done` once for each entry that was written; when it throws, the other entries are still open. */
type CommitEach = (entries: readonly SettlementEntry[], done: Done) => Promise<void>;

type CommitEachInput = Readonly<{
  commit: CommitSettlements;
  /** Keeps an entry that the database refuses, for a person to look at. */
  bury: (entry: SettlementEntry) => Promise<void>;
  logger: Logger;
}>;

const NOTHING_CHARGED: Charged = { chargedNanoUsd: 0n };

/** Only an error about the value itself marks an entry as bad. Any other error may pass. */
export const isBadEntry = (error: unknown): boolean => /^2[23]...$/.test(errorCode(error) ?? '');

/** Rejects when a commit takes too long. */
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
      'a settlement cannot be written and was put into the dead letters',
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

  /** The last try before a charge is given up: an entry that failed in a batch may pass alone. */
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
