// The record of a call: metadata only, never a prompt or an answer. It is written in the same statement as the charge.

import type { NanoUsd } from '../platform/money.ts';
import type { Operation } from './operation.ts';
import type { Usage } from './usage.ts';

/** One attempt at an upstream: the provider and the outcome, `answered` or the kind of failure. */
export type AttemptEntry = Readonly<{
  provider: string;
  upstreamModel: string;
  outcome: string;
  /** The upstream's HTTP status; 0 when none was reached. */
  status: number;
  durationMs: number;
}>;

/** Why the auto router chose the model. Signals have our own names: nothing of the prompt is in here. */
export type AutoDecision = Readonly<{
  table: string;
  tier: string;
  /** The tier that the request was scored into, where doubt moved it one up. */
  promotedFrom: string | null;
  confidence: number;
  signals: readonly Readonly<{ name: string; weight: number }>[];
}>;

/** What a filter or a guard has decided about a call, without the text it was shown. */
export type ReviewEntry = Readonly<{
  /** `operator` stands for a guard of the operator's. */
  by: 'filter' | 'guard' | 'operator';
  name: string;
  /** About the prompt, or about the answer. */
  of: 'input' | 'output';
  outcome: 'allowed' | 'flagged' | 'redacted' | 'blocked' | 'no_verdict';
  /** A guard's reason, or why it gave no verdict. */
  reason: string | null;
}>;

/** Collects what reviewers decide about one call. */
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
  /** The cost by usage and price, before anything was absorbed. */
  subtotalNanoUsd: NanoUsd;
  cacheDiscountNanoUsd: NanoUsd;
  costNanoUsd: NanoUsd;
  /** Absorbed cost and its reason: `abandoned`, `interrupted`, `exhausted`, `oversize`, `implausible`, or null. */
  absorbedNanoUsd: NanoUsd;
  absorbedReason: string | null;
  /** The operator's share of all that, where the model is sold for more than it costs. */
  markupNanoUsd: NanoUsd;
  /** What the call took of a free model's quota; absent where the caller paid. */
  freeUnits?: number;
  attempts: number;
  /** Every attempt in order. Null when the first was the only one and answered, which the record itself says. */
  attemptLog: readonly AttemptEntry[] | null;
  /** Null where the caller named a model. */
  autoDecision: AutoDecision | null;
  /** In order. Null where no filter was hit and no guard was asked. */
  reviews: readonly ReviewEntry[] | null;
}>;
