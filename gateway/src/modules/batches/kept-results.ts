// How much an account may keep of the results of its batches, which are on the operator's disk: the answer to a line
// that costs next to nothing may have sixteen megabytes. A batch is refused while its account keeps too much, and lines
// wait where too much has come within a day, which each process counts for itself.

import { DAY_MS } from '../../canonical/calendar.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { RecentMap } from '../../platform/recent-map.ts';
import { readKeptResults } from './store/files.ts';

const RESULT_BYTES_MAX = 10 * 1024 ** 3;
const ACCOUNTS_MAX = 10_000;

type Written = { bytes: number; readonly sinceMs: number };

export class KeptResults {
  readonly #bytesMax: number;
  readonly #written = new RecentMap<Written>({ sizeMax: ACCOUNTS_MAX });

  constructor(bytesMax = RESULT_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** Throws the 429 of an account that keeps as much as it may. */
  async refuseFull(queryable: Queryable, accountId: string): Promise<void> {
    if ((await readKeptResults(queryable, accountId)) < BigInt(this.#bytesMax)) return;
    const message =
      'This account keeps as many results of batches as it may. Delete some that are not needed any more.';
    throw new ApiError('http_429', message, { isTerminal: true });
  }

  note(accountId: string, bytes: number, nowMs: number): void {
    const known = this.#of(accountId, nowMs);
    if (known === undefined) this.#written.set(accountId, { bytes, sinceMs: nowMs });
    else known.bytes += bytes;
  }

  mayCome(accountId: string, nowMs: number): boolean {
    return (this.#of(accountId, nowMs)?.bytes ?? 0) < this.#bytesMax;
  }

  #of(accountId: string, nowMs: number): Written | undefined {
    const known = this.#written.get(accountId);
    return known !== undefined && nowMs - known.sinceMs < DAY_MS ? known : undefined;
  }
}
