// Writes finished calls that must be cut off at what their accounts can carry, folds them at once, and tells what each
// was charged. The same entries may be given again: a charge that stands already is read back and not made again.

import type { Database, Queryable } from '../../platform/db/database.ts';
import type { NanoUsd } from '../../platform/money.ts';
import type { PriceSnapshot } from './price-snapshot.ts';
import type { SettlementEntry } from './settlement-entry.ts';
import { foldBatch } from './store/fold.ts';
import { keepPriceLists, readCharges, writeSettlements } from './store/settlements.ts';

export type Charged = Readonly<{
  chargedNanoUsd: NanoUsd;
  /** The charge stood already, so this writing of it has moved nothing. */
  isStanding?: boolean;
  /** The database would not take the entry, so nothing was charged. */
  isBuried?: boolean;
}>;

/** By generation id; an entry whose charge is neither new nor known, because its account is missing, is left out. */
export type CommitSettlements = (entries: readonly SettlementEntry[]) => Promise<ReadonlyMap<string, Charged>>;

const KNOWN_PRICE_LISTS_MAX = 10_000;

const hasCharge = (entry: SettlementEntry): boolean => entry.row.charge !== '0';

type Priced = Readonly<{ priceList: PriceSnapshot | null }>;

/** Price lists that this process has seen stored are not sent again. */
export class PriceListKeeper {
  readonly #known = new Set<string>();

  /** Null when all of them are known, which is nearly always. */
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

/** In a transaction, which holds the accounts' locks until what was written is folded. */
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
