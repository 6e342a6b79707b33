// What a call holds and how that ends: settled, released or absorbed, exactly once, whichever comes first. Each ending
// writes the call's record; until that can be read, the call is among the open ones.

import type { Candidate } from '../canonical/model.ts';
import { type Usage, zeroUsage } from '../canonical/usage.ts';
import type { Bill } from '../dialects/dialect.ts';
import type { Ledger, Reservation } from '../modules/ledger/ledger.ts';
import type { OpenCalls } from '../modules/usage/open-calls.ts';
import type { UsualOutput } from '../modules/usage/usual-output.ts';
import { usdNumber } from '../platform/money.ts';
import type { Call } from './call.ts';
import { type AbsorbedReason, type Ending, NO_COST, recordOf, unanswered, viewOf } from './call-record.ts';
import { estimateUnpaid } from './estimate-unpaid.ts';
import { type Metered, meter } from './meter.ts';

export type MoneyServices = Readonly<{
  ledger: Ledger;
  openCalls: Pick<OpenCalls, 'open' | 'close'>;
  usualOutput: UsualOutput;
}>;

const NOTHING_USED: Bill = { usage: zeroUsage, costUsd: 0 };

export class CallMoney {
  readonly #call: Call;
  readonly #services: MoneyServices;
  readonly #first: Candidate | undefined;
  readonly reservation: Reservation;
  #isOver = false;

  /** `first` is who will be asked first: all that is known of the answer while there is none. */
  constructor(call: Call, services: MoneyServices, reservation: Reservation, first: Candidate | undefined) {
    this.#call = call;
    this.#services = services;
    this.#first = first;
    this.reservation = reservation;
    if (first === undefined) return;
    services.openCalls.open(call.generationId, () =>
      viewOf(recordOf(call, unanswered(first), zeroUsage, NO_COST), true),
    );
  }

  /** Charges what was used, or nothing where nothing billable was reported. `done` comes once that is durable. */
  bill(usage: Usage | null, ending: Ending, done: (bill: Bill) => void, failed: (error: unknown) => void): void {
    const { candidate } = ending;
    const { request } = this.#call;
    const metered = meter(usage, { request, candidate, reservedNanoUsd: this.reservation.amountNanoUsd() });
    if (metered === null) {
      this.release(ending);
      done(NOTHING_USED);
      return;
    }
    this.#settle(metered, ending, done, failed);
  }

  #settle(metered: Metered, ending: Ending, done: (bill: Bill) => void, failed: (error: unknown) => void): void {
    this.#isOver = true;
    const { ledger, openCalls, usualOutput } = this.#services;
    const { trace, quota, request, generationId } = this.#call;
    const { price, usage, doubt } = metered;
    const record = recordOf(this.#call, ending, usage, {
      subtotalNanoUsd: price.subtotalNanoUsd,
      cacheDiscountNanoUsd: price.cacheDiscountNanoUsd,
      costNanoUsd: price.costNanoUsd,
      absorbedNanoUsd: doubt?.nanoUsd ?? 0n,
      absorbedReason: doubt?.reason ?? null,
    });
    usualOutput.observe(ending.candidate.model.id, usage, request.isStream);
    trace?.beginSettlement(ending, usage);
    // A price that charged nothing is not worth keeping.
    const list = price.costNanoUsd === 0n ? undefined : price.list;
    const close = (): void => openCalls.close(generationId, null);
    try {
      ledger.settle(this.reservation, record, list, ({ chargedNanoUsd }) => {
        trace?.settled();
        const bill = { usage, costUsd: usdNumber(chargedNanoUsd) };
        const end = (): void => {
          close();
          done(bill);
        };
        // Whoever has the answer may call again at once, and anywhere: by then it must be known what is left.
        if (quota === null) end();
        else quota.end(true).then(end, failed);
      });
    } catch (error) {
      close();
      failed(error);
    }
  }

  /** Returns the whole reservation. Safe to call again: only the first ending counts. */
  release(ending: Ending | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#call.trace?.released(ending, null);
    this.#leave(ending === null ? null : recordOf(this.#call, ending, zeroUsage, NO_COST));
  }

  /** Whatever has gone wrong without anybody having said so: nothing stays held, and the record says no more. */
  abort(): void {
    this.release(this.#first === undefined ? null : unanswered(this.#first));
  }

  /** As release, but the upstream has worked: what that cost, by its word or our estimate, is recorded as absorbed. */
  absorb(ending: Ending, estimated: Usage, reason: AbsorbedReason, reported: Usage | null = null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#call.trace?.released(ending, reason);
    const { candidate } = ending;
    const usualTokens = this.#services.usualOutput.tokensOf(candidate.model.id, this.#call.request.isStream);
    const heldNanoUsd = this.reservation.amountNanoUsd();
    const absorbedNanoUsd = estimateUnpaid(this.#call, candidate, { estimated, reported, usualTokens, heldNanoUsd });
    this.#leave(recordOf(this.#call, ending, zeroUsage, { ...NO_COST, absorbedNanoUsd, absorbedReason: reason }));
  }

  #leave(record: ReturnType<typeof recordOf> | null): void {
    this.#services.ledger.release(this.reservation, record);
    this.#services.openCalls.close(this.#call.generationId, record === null ? null : viewOf(record, false));
  }
}
