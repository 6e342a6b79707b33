// A line of a batch that a provider's own batch interface runs: what is kept of it while it is there, and what comes back.

import type { NanoUsd } from '../platform/money.ts';
import type { PriceSchedule } from './price.ts';

/** As it was handed over; money and prices are those of that moment. */
export type HandedLine = Readonly<{
  modelId: string;
  providerName: string;
  upstreamModel: string;
  heldNanoUsd: NanoUsd;
  prices: PriceSchedule;
}>;

/** What the provider has answered to it: a status and a body, as to a call of its own. */
export type HandedReply = HandedLine & Readonly<{ userId: string; status: number; body: Buffer }>;

/** The line that a call is run for. */
export type BatchLine = Readonly<{
  batchId: string;
  lineNo: number;
  /** Absent until a provider has answered it. */
  reply?: HandedReply;
  /** It is a provider's now: nobody answers it here. */
  handed(): void;
}>;
