// After a fail-over: which of the charges that this process was told are committed the new server does not have. They are
// named in the log, counted for an alarm, and written to the journal, from which they are charged again before any call
// is admitted.

import type { Queryable } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Journal } from './journal.ts';
import type { KeptSettlements } from './kept-settlements.ts';
import type { SettlementEntry } from './settlement-entry.ts';
import { findCharges } from './store/settlements.ts';

/** What is lost is the newest: after so many chunks without a gap nothing older is missing. */
const WHOLE_CHUNKS = 2;

export type LostCharges = { count: number };

export type RestoreInput = Readonly<{
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
    'the fail-over has lost commits: credits and changes of the same moments are to be looked for by a person',
  );
  return true;
}
