// Credit for an account, as other modules ask the ledger for it.

import type { NanoUsd } from '../platform/money.ts';

export type Credit = Readonly<{
  accountId: string;
  amountNanoUsd: NanoUsd;
  note: string;
  /** Entered once for each reference, however often it is asked for. */
  reference: string;
}>;

/** Credit that goes back with its payment, or returns with it. */
export type Correction = Credit & Readonly<{ kind: 'reclaim' | 'restore' }>;

/** Answers the balance after it. */
export type CreditLedger = Readonly<{ credit(credit: Credit): Promise<NanoUsd> }>;
