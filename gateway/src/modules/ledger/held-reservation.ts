// A reservation as the ledger keeps it: a hold on one slice that ends exactly once. Others see only the readonly type.

import { assert } from '../../platform/assert.ts';
import type { NanoUsd } from '../../platform/money.ts';
import type { Reservation } from './ledger.ts';
import type { AccountSlice } from './slice.ts';

export class HeldReservation implements Reservation {
  readonly generationId: string;
  readonly accountId: string;
  #slice: AccountSlice;
  #heldNanoUsd: NanoUsd;
  #isOpen = true;

  constructor(generationId: string, slice: AccountSlice, heldNanoUsd: NanoUsd) {
    this.generationId = generationId;
    this.accountId = slice.accountId;
    this.#slice = slice;
    this.#heldNanoUsd = heldNanoUsd;
    slice.open();
  }

  get slice(): AccountSlice {
    return this.#slice;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  amountNanoUsd(): NanoUsd {
    return this.#heldNanoUsd;
  }

  /** Adds what has just been taken from the slice. */
  raise(byNanoUsd: NanoUsd): void {
    this.#heldNanoUsd += byNanoUsd;
  }

  /** Leaves a void slice for one that stands, where nothing is held yet. */
  moveTo(slice: AccountSlice): void {
    assert(this.#slice.isVoid && slice.accountId === this.accountId, 'only a void hold moves to another slice');
    this.#slice.beginSettling(this.#heldNanoUsd, 0n);
    this.#slice.close();
    slice.open();
    this.#slice = slice;
    this.#heldNanoUsd = 0n;
  }

  end(): void {
    assert(this.#isOpen, 'a reservation ends exactly once');
    this.#isOpen = false;
  }
}
