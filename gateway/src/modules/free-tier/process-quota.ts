// The quota as one process counts it. A user's use of the day before this process first saw it is read from the
// database once; after that memory decides, without I/O. Addresses are counted in memory only. It also decides while
// Redis is away.

import type { FreeWindow } from '../../canonical/model.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import { RecentMap } from '../../platform/recent-map.ts';
import type { ShareOf } from '../../platform/redis/own-share.ts';
import { FreeCounter, secondsLeft, type Windows, wholeShare, windowsAt } from './free-counter.ts';
import type { FreeDecision, FreeGrant, FreeQuota, FreeRefusal, FreeTake } from './free-quota.ts';
import { openQuotaBooks, type QuotaBooks } from './quota-books.ts';

/** Users who have been idle for long are dropped first, and read again when they come back. */
const USERS_MAX = 100_000;
const ADDRESSES_MAX = 250_000;

type ProcessQuotaOptions = Readonly<{
  books: QuotaBooks;
  clock: Clock;
  /** How much of what is left this process may grant; all of it by default. */
  shareOf?: ShareOf;
}>;

type CountersByModel = Map<string, FreeCounter>;
type User = { readonly counters: CountersByModel; isRead: boolean };

/** What all processes had used after a grant that was made elsewhere. */
export type ToldUse = Readonly<{ units: number; requests: number }>;

export class ProcessQuota implements FreeQuota {
  readonly #options: ProcessQuotaOptions;
  readonly #shareOf: ShareOf;
  readonly #users = new RecentMap<User>({ sizeMax: USERS_MAX });
  readonly #addresses = new RecentMap<FreeCounter>({ sizeMax: ADDRESSES_MAX });
  readonly #readings = new Map<string, Promise<void>>();
  #todayMs = -1;

  constructor(options: ProcessQuotaOptions) {
    this.#options = options;
    this.#shareOf = options.shareOf ?? wholeShare;
  }

  take(request: FreeTake): FreeDecision | Promise<FreeDecision> {
    const nowMs = this.#options.clock.nowMs();
    const at = windowsAt(nowMs);
    this.#turnDay(at);
    const { subject, address } = request;
    const user = this.#users.get(subject);
    // A new day may begin while the use is read; then it is read again.
    if (user === undefined || !user.isRead) return this.#read(subject, at).then(() => this.take(request));
    this.#users.set(subject, user);
    if (address === null) return this.#takeOfFirst(request, user.counters, nowMs);
    const ofAddress = this.#addresses.get(address.name) ?? new FreeCounter(at);
    const lacking = ofAddress.lacking(address, request.units, at, this.#shareOf);
    if (lacking !== null) return refusal({ by: 'address', passedOver: [], window: lacking, nowMs });
    this.#addresses.set(address.name, ofAddress);
    const decision = this.#takeOfFirst(request, user.counters, nowMs);
    if (decision.outcome === 'granted') ofAddress.add(request.units, at);
    return decision;
  }

  giveBack(grant: FreeGrant): void {
    this.#users.get(grant.subject)?.counters.get(grant.modelId)?.giveBack(grant.units, grant);
    if (grant.addressName !== null) this.#addresses.get(grant.addressName)?.giveBack(grant.units, grant);
  }

  /** A grant that was made elsewhere, with the use of the model and of the address after it. */
  hear(grant: FreeGrant, told: Readonly<{ model: ToldUse; address: ToldUse | null }>): void {
    this.#turnDay(grant);
    if (grant.dayMs !== this.#todayMs) return;
    const user = this.#users.get(grant.subject) ?? { counters: new Map(), isRead: false };
    this.#users.set(grant.subject, user);
    counterOf(user.counters, grant.modelId, grant).hear(told.model, grant);
    if (grant.addressName === null || told.address === null) return;
    const ofAddress = this.#addresses.get(grant.addressName) ?? new FreeCounter(grant);
    ofAddress.hear(told.address, grant);
    this.#addresses.set(grant.addressName, ofAddress);
  }

  /** Other processes have granted since, so a user's use is read again at the next call. */
  distrust(): void {
    for (const user of this.#users.values()) user.isRead = false;
  }

  /** Counters of a day are of no use on the next one, here and in the database. */
  #turnDay({ dayMs }: Windows): void {
    if (dayMs === this.#todayMs) return;
    this.#todayMs = dayMs;
    this.#users.clear();
    this.#addresses.clear();
    this.#options.books.turnDay(dayMs);
  }

  #read(subject: string, at: Windows): Promise<void> {
    const known = this.#readings.get(subject);
    if (known !== undefined) return known;
    const reading = this.#options.books
      .read(subject, at.dayMs)
      .then((units) => {
        if (at.dayMs !== this.#todayMs) return;
        const user = this.#users.get(subject) ?? { counters: new Map(), isRead: false };
        user.isRead = true;
        this.#users.set(subject, user);
        for (const [modelId, used] of units) counterOf(user.counters, modelId, at).learn(used, at);
      })
      .finally(() => this.#readings.delete(subject));
    this.#readings.set(subject, reading);
    return reading;
  }

  #takeOfFirst(request: FreeTake, counters: CountersByModel, nowMs: number): FreeDecision {
    const at = windowsAt(nowMs);
    const { subject, units, models, address } = request;
    const passedOver: FreeWindow[] = [];
    for (const model of models) {
      const { modelId } = model;
      const counter = counters.get(modelId) ?? new FreeCounter(at);
      const lacking = counter.lacking(model, units, at, this.#shareOf);
      if (lacking === null) {
        counter.add(units, at);
        counters.set(modelId, counter);
        const grant: FreeGrant = { subject, modelId, addressName: address?.name ?? null, units, ...at };
        return { outcome: 'granted', grant, passedOver };
      }
      passedOver.push(lacking);
    }
    return refusal({ by: 'model', passedOver, window: passedOver[0] ?? 'daily', nowMs });
  }
}

/** The wait lasts until the used-up window ends. */
export function refusal(
  facts: Pick<FreeRefusal, 'by' | 'passedOver' | 'window'> & Readonly<{ nowMs: number }>,
): FreeRefusal {
  const { by, passedOver, window, nowMs } = facts;
  return { outcome: 'refused', by, window, passedOver, retryAfterSeconds: secondsLeft(window, nowMs) };
}

function counterOf(counters: CountersByModel, modelId: string, at: Windows): FreeCounter {
  const known = counters.get(modelId);
  if (known !== undefined) return known;
  const counter = new FreeCounter(at);
  counters.set(modelId, counter);
  return counter;
}

export function createProcessQuota({
  database,
  clock,
  logger,
}: Readonly<{ database: Database; clock: Clock; logger: Logger }>): FreeQuota {
  return new ProcessQuota({ books: openQuotaBooks(database, logger), clock });
}
