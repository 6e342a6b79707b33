// A line of a batch that a provider's own batch interface runs: what is kept of it meanwhile, and what comes back.

import type { NanoUsd } from '../platform/money.ts';
import type { PriceSchedule } from './price.ts';

/** As it was handed over, with the money and prices of that moment. */
export type HandedLine = Readonly<{
  modelId: string;
  providerName: string;
  upstreamModel: string;
  heldNanoUsd: NanoUsd;
  prices: PriceSchedule;
}>;

/** The provider's answer to it: a status and a body, as for a single call. */
export type HandedReply = HandedLine & Readonly<{ userId: string; status: number; body: Buffer }>;

/** The line that a call is run for. */
export type BatchLine = Readonly<{
  batchId: string;
  lineNo: number;
  /** Absent until a provider has answered it. */
  reply?: HandedReply;
  /** The provider has the line now, so it is not answered here. */
  handed(): void;
}>;
