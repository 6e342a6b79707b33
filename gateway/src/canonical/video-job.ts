// A video job as the gateway keeps it and shows it to its owner. A job has one end: the first one counts, and what it
// cost is only shown once it has been charged.

import type { NanoUsd } from '../platform/money.ts';
import type { AttemptEntry } from './generation.ts';
import type { VideoTask } from './video.ts';

/** What clients see. */
type VideoStatus = 'pending' | 'in_progress' | 'completed' | 'failed';

/**
 * What is left to do. `submitting`: an upstream was asked, or is about to be, and has not answered. `open`: it works on
 * it. `ending`: what came of it is decided, the money is not moved yet. `ended`: nothing.
 */
type VideoPhase = 'submitting' | 'open' | 'ending' | 'ended';

export type VideoOutcome = 'completed' | 'failed';

/** Why a job failed, in words fit for its owner. */
export type VideoError = Readonly<{ code: string; message: string }>;

export type VideoJob = Readonly<{
  id: string;
  /** Of the record that the job leaves, and of the money that is held for it. */
  generationId: string;
  accountId: string;
  userId: string;
  keyId: string;
  appName: string | null;
  modelId: string;
  providerName: string;
  upstreamModel: string;
  /** Whose upstream it is, where it is a customer's own. */
  byokKeyId: string | null;
  /** Null until an upstream has taken the job. */
  upstreamJobId: string | null;
  task: VideoTask;
  /** Ordered, or made once it is known. */
  durationMs: number;
  /** Of the video that is edited, which is paid for too; zero for every other task. */
  inputMs: number;
  size: string;
  /** Nano-USD per million seconds and per million jobs, as prices are kept. */
  secondPrice: NanoUsd;
  requestPrice: NanoUsd;
  /** What the same costs the operator; null where it is sold for that. */
  secondCost: NanoUsd | null;
  requestCost: NanoUsd | null;
  heldNanoUsd: NanoUsd;
  callbackUrl: string | null;
  phase: VideoPhase;
  status: VideoStatus;
  /** Null until it is decided. */
  outcome: VideoOutcome | null;
  progress: number;
  outputCount: number;
  error: VideoError | null;
  /** What was charged; null until the job has ended. */
  costNanoUsd: NanoUsd | null;
  /** How often in a row the upstream did not know the job. */
  misses: number;
  upstreamStatus: number;
  isFailover: boolean;
  attempts: readonly AttemptEntry[];
  /** Recognizes the job in an upstream's list; null where it could be mistaken for another. */
  fingerprint: string | null;
  createdAtMs: number;
  expiresAtMs: number;
  endedAtMs: number | null;
}>;
