// A video job as the gateway stores it and shows it to its owner. A job has one end: the first one counts, and its cost
// is shown only after it has been charged.

import type { NanoUsd } from '../platform/money.ts';
import type { AttemptEntry } from './generation.ts';
import type { VideoTask } from './video.ts';

/** The status that clients see. */
type VideoStatus = 'pending' | 'in_progress' | 'completed' | 'failed';

/**
 * What is left to do. `submitting`: an upstream was asked, or is about to be, and has not answered. `open`: the
 * upstream is working on it. `ending`: the outcome is decided, and the money has not been moved yet. `ended`: nothing.
 */
type VideoPhase = 'submitting' | 'open' | 'ending' | 'ended';

export type VideoOutcome = 'completed' | 'failed';

/** Why a job failed, in words for its owner. */
export type VideoError = Readonly<{ code: string; message: string }>;

export type VideoJob = Readonly<{
  id: string;
  /** The generation of the job's record and of its reservation. */
  generationId: string;
  accountId: string;
  userId: string;
  keyId: string;
  appName: string | null;
  modelId: string;
  providerName: string;
  upstreamModel: string;
  /** The customer's own upstream, where it is one. */
  byokKeyId: string | null;
  /** Null until an upstream has taken the job. */
  upstreamJobId: string | null;
  task: VideoTask;
  /** As ordered, and the true length once it is known. */
  durationMs: number;
  /** The length of the video that is edited, which is charged too; zero for every other task. */
  inputMs: number;
  size: string;
  /** Nano-USD per million seconds and per million jobs, as prices are stored. */
  secondPrice: NanoUsd;
  requestPrice: NanoUsd;
  /** The operator's own cost; null where it is sold at cost. */
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
