// How much an account may keep of the results of its batches, which are on the operator's disk: the answer to a line
// that costs next to nothing may have sixteen megabytes. A batch is refused while its account keeps too much, and lines
// wait where too much has come within a day, which each process counts for itself.

import { DAY_MS } from '../../canonical/calendar.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { LoadingCache } from '../../platform/loading-cache.ts';
import { RecentMap } from '../../platform/recent-map.ts';
import { AFTER_CREDIT, BEFORE_CREDIT, type HasHadCredit, type KeptBounds } from './kept-bounds.ts';
import { countMade } from './store/batches.ts';
import { readKeptResults } from './store/files.ts';

const ACCOUNTS_MAX = 10_000;
const CREDIT_KNOWN_FOR_MS = 10_000;

type Written = { bytes: number; readonly sinceMs: number };

export class KeptResults {
  readonly #clock: Clock;
  readonly #hasHadCredit: HasHadCredit;
  readonly #credited: LoadingCache<boolean>;
  readonly #written = new RecentMap<Written>({ sizeMax: ACCOUNTS_MAX });

  constructor({ hasHadCredit, clock }: Readonly<{ hasHadCredit: HasHadCredit; clock: Clock }>) {
    this.#hasHadCredit = hasHadCredit;
    this.#clock = clock;
    this.#credited = new LoadingCache<boolean>({ clock, sizeMax: ACCOUNTS_MAX, ageMaxMs: CREDIT_KNOWN_FOR_MS });
  }

  /** Throws the 429 of an account that keeps as much as it may, or has made as many batches within a day. */
  async refuseFull(queryable: Queryable, accountId: string, bounds: KeptBounds): Promise<void> {
    const dayAgo = new Date(this.#clock.nowMs() - DAY_MS);
    if ((await countMade(queryable, accountId, dayAgo)) >= bounds.batchesPerDay) {
      const message =
        'This account has made as many batches within a day as it may: 5,000, or 100 before its first credit. Make fewer batches with more lines.';
      throw new ApiError('http_429', message, { isTerminal: true });
    }
    if ((await readKeptResults(queryable, accountId)) < BigInt(bounds.resultBytes)) return;
    const message =
      'This account keeps as many results of batches as it may: 10 GB, or 100 MB before its first credit. Delete some that are not needed any more.';
    throw new ApiError('http_429', message, { isTerminal: true });
  }

  note(accountId: string, bytes: number, nowMs: number): void {
    const known = this.#of(accountId, nowMs);
    if (known === undefined) this.#written.set(accountId, { bytes, sinceMs: nowMs });
    else known.bytes += bytes;
  }

  /** Those of these accounts whose lines need not wait. */
  async thatMayHaveMore(accountIds: readonly string[], nowMs: number): Promise<readonly string[]> {
    const may = await Promise.all(accountIds.map((accountId) => this.#mayCome(accountId, nowMs)));
    return accountIds.filter((_, index) => may[index]);
  }

  #mayCome(accountId: string, nowMs: number): boolean | Promise<boolean> {
    const bytes = this.#of(accountId, nowMs)?.bytes ?? 0;
    if (bytes < BEFORE_CREDIT.resultBytes) return true;
    if (bytes >= AFTER_CREDIT.resultBytes) return false;
    return this.#credited.find(accountId, () => this.#hasHadCredit(accountId));
  }

  #of(accountId: string, nowMs: number): Written | undefined {
    const known = this.#written.get(accountId);
    return known !== undefined && nowMs - known.sinceMs < DAY_MS ? known : undefined;
  }
}
