// Writes finished calls in one statement and tells what each was charged. The same entries may be given again: a charge
// that stands already is read back and not made a second time.

import type { Queryable } from '../../platform/db/database.ts';
import type { NanoUsd } from '../../platform/money.ts';
import type { SettlementEntry } from './settlement-entry.ts';
import { keepPriceLists, readCharges, writeSettlements } from './store/settlements.ts';

export type Charged = Readonly<{
  chargedNanoUsd: NanoUsd;
  /** Null when the statement did not tell. */
  spendableNanoUsd: NanoUsd | null;
  /** The charge stood already, so this writing of it has moved nothing. */
  isStanding?: boolean;
  /** The database would not take the entry, so nothing was charged. */
  isBuried?: boolean;
}>;

/** By generation id; an entry whose charge is neither new nor known, because its account is missing, is left out. */
export type CommitSettlements = (entries: readonly SettlementEntry[]) => Promise<ReadonlyMap<string, Charged>>;

const KNOWN_PRICE_LISTS_MAX = 10_000;

const hasCharge = (entry: SettlementEntry): boolean => entry.row.charge !== '0';

/** Price lists that this process has seen stored are not sent again. */
function priceListKeeper(queryable: Queryable): (entries: readonly SettlementEntry[]) => Promise<void> {
  const known = new Set<string>();
  return async (entries) => {
    const unknown = new Map<string, string>();
    for (const { priceList } of entries) {
      if (priceList !== null && !known.has(priceList.id)) unknown.set(priceList.id, priceList.text);
    }
    if (unknown.size === 0) return;
    const lists = [...unknown].map(([id, text]) => `{"id":${JSON.stringify(id)},"list":${text}}`);
    await keepPriceLists(queryable, `[${lists.join(',')}]`);
    if (known.size > KNOWN_PRICE_LISTS_MAX) known.clear();
    for (const id of unknown.keys()) known.add(id);
  };
}

export function settlementCommitter(queryable: Queryable, processId: () => string): CommitSettlements {
  const keepNewPriceLists = priceListKeeper(queryable);
  return async (entries) => {
    await keepNewPriceLists(entries);
    const batchJson = JSON.stringify(entries.map((entry) => entry.row));
    const charged = new Map<string, Charged>();
    for (const row of await writeSettlements(queryable, processId(), batchJson)) charged.set(row.generationId, row);

    const silent = entries.filter((entry) => hasCharge(entry) && !charged.has(entry.row.id));
    if (silent.length === 0) return charged;
    const standing = await readCharges(
      queryable,
      silent.map((entry) => entry.row.id),
    );
    for (const [id, chargedNanoUsd] of standing)
      charged.set(id, { chargedNanoUsd, spendableNanoUsd: null, isStanding: true });
    return charged;
  };
}
