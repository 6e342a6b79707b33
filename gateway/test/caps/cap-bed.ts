// A ledger under caps with a clock that a test sets, and the few things that a test does with it over and over.

import type { SpendCap } from '../../src/canonical/spend-cap.ts';
import type { Reservation } from '../../src/modules/ledger/ledger.ts';
import { newId } from '../../src/platform/ids.ts';
import { fundedAccount, type LedgerBed, type LedgerProcess, openBed } from '../ledger/fixture.ts';
import { recordOf, settled } from '../ledger/record.ts';
import { SetClock } from './set-clock.ts';

const START = '2026-03-10T12:00:30Z';

export class CapBed {
  readonly clock = new SetClock(START);
  readonly bed: LedgerBed;
  #first: LedgerProcess | null = null;
  accountId = '';

  private constructor(bed: LedgerBed) {
    this.bed = bed;
  }

  static async open(): Promise<CapBed> {
    return new CapBed(await openBed());
  }

  /** For each test: a process and an account with a million on it. */
  async begin(): Promise<void> {
    this.clock.set(START);
    this.#first = await this.bed.startProcess({ clock: this.clock });
    this.accountId = await fundedAccount(this.#first, 1_000_000n);
  }

  get first(): LedgerProcess {
    if (this.#first === null) throw new Error('the test has not begun');
    return this.#first;
  }

  startAnother(url = this.bed.url): Promise<LedgerProcess> {
    return this.bed.startProcess({ clock: this.clock, url });
  }

  async reserve(amountNanoUsd: bigint, caps: readonly SpendCap[], { ledger } = this.first): Promise<Reservation> {
    return ledger.reserve(this.accountId, newId('gen'), amountNanoUsd, caps);
  }

  /** The code with which a call would be refused, or null. */
  refusal(amountNanoUsd: bigint, caps: readonly SpendCap[], at = this.first): Promise<string | null> {
    return this.reserve(amountNanoUsd, caps, at).then(
      (held) => {
        at.ledger.release(held, null);
        return null;
      },
      (error: { code: string }) => error.code,
    );
  }

  async spend(amountNanoUsd: bigint, caps: readonly SpendCap[], at = this.first): Promise<void> {
    const held = await this.reserve(amountNanoUsd, caps, at);
    await settled(at.ledger, held, recordOf(held, amountNanoUsd));
  }

  async counters(scopeId: string): Promise<Record<string, string>[]> {
    await this.bed.folded();
    return this.bed.rows(
      `select time_window as window, seeded_nano_usd as seeded, spent_nano_usd as spent, leased_nano_usd as leased,
         to_char(window_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI') as start
       from spend_counters where scope_id = $1 order by window_start, id`,
      [scopeId],
    );
  }
}
