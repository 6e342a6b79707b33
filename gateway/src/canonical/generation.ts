// The record of a call: metadata only, never a prompt or an answer. It is written in the same statement as the charge.

import type { NanoUsd } from '../platform/money.ts';
import type { Operation } from './operation.ts';
import type { Usage } from './usage.ts';

/** One try at an upstream: who was asked and what it came to, `answered` or the kind of failure. */
export type AttemptEntry = Readonly<{
  provider: string;
  upstreamModel: string;
  outcome: string;
  /** The upstream's HTTP status; 0 when none was reached. */
  status: number;
  durationMs: number;
}>;

/** Why the auto router chose as it did. Signals are named by us: no text of the prompt is in here. */
export type AutoDecision = Readonly<{
  table: string;
  tier: string;
  /** The tier that the request was scored into, where doubt moved it one up. */
  promotedFrom: string | null;
  confidence: number;
  signals: readonly Readonly<{ name: string; weight: number }>[];
}>;

/** What a filter or a guard has decided about a call, never what it was shown. */
export type ReviewEntry = Readonly<{
  by: 'filter' | 'guard';
  name: string;
  /** Of the prompt, or of the answer. */
  of: 'input' | 'output';
  outcome: 'allowed' | 'flagged' | 'redacted' | 'blocked' | 'no_verdict';
  /** What a guard gave as one, or why it gave no verdict. */
  reason: string | null;
}>;

/** Takes down what reviewers decide about one call. */
export type ReviewNotes = Readonly<{ note(entry: ReviewEntry): void }>;

export type GenerationRecord = Readonly<{
  id: string;
  accountId: string;
  userId: string;
  keyId: string;
  operation: Operation;
  modelId: string;
  providerName: string;
  upstreamModel: string;
  appName: string | null;
  finishReason: string | null;
  /** The upstream's HTTP status; 0 when none was reached. */
  upstreamStatus: number;
  isStream: boolean;
  isFailover: boolean;
  createdAtMs: number;
  durationMs: number;
  firstTokenMs: number | null;
  usage: Usage;
  /** What the call cost by its usage and price, before what had to be absorbed. */
  subtotalNanoUsd: NanoUsd;
  cacheDiscountNanoUsd: NanoUsd;
  costNanoUsd: NanoUsd;
  /** Cost that nobody paid, and why: `abandoned`, `interrupted`, `exhausted`, `oversize`, `implausible`, or null. */
  absorbedNanoUsd: NanoUsd;
  absorbedReason: string | null;
  /** What of all that the operator keeps, because it is sold for more than it costs. */
  markupNanoUsd: NanoUsd;
  /** What the call took of a free model's quota; absent where the caller paid. */
  freeUnits?: number;
  attempts: number;
  /** Every try in order. Null for the ordinary call, whose only try answered: the record itself says all of it. */
  attemptLog: readonly AttemptEntry[] | null;
  /** Null where the caller named a model. */
  autoDecision: AutoDecision | null;
  /** In their order. Null where no filter was hit and no guard asked. */
  reviews: readonly ReviewEntry[] | null;
}>;
