// Video jobs: what may happen to one, when to look after it, and when to give it up. Money is not moved here: the code
// that decides an end settles it with the ledger and then reports it, and the next process that looks at the job
// finishes what a crash interrupted.

import { DAY_MS } from '../../canonical/calendar.ts';
import type { UpstreamVideo } from '../../canonical/video.ts';
import type { VideoError, VideoJob, VideoOutcome } from '../../canonical/video-job.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { insertCallback } from './store/callbacks.ts';
import * as claims from './store/claims.ts';
import * as store from './store/jobs.ts';

/** Specification, Limits: the upstream is asked only when this much time has passed since the last check. */
const CHECK_SPACING_MS = 8_000;
/** Jobs take seconds to minutes; a longer one is polled less often, unless its owner asks. */
const PATIENT_AFTER_MS = 600_000;
const PATIENT_SPACING_MS = 30_000;
/** Longer than a question to an upstream may take. */
const LEASE_MS = 45_000;
/** Longer than an order to an upstream may take. */
const SUBMIT_MS_MAX = 150_000;
const RECONCILE_SPACING_MS = 20_000;
/** How long a job is searched for when it is not known whether an upstream has it. */
const UNANSWERED_MS_MAX = 600_000;
/** After this a job counts as stuck. */
const LIFETIME_MS = 3_600_000;
/** The reservation outlives its job, because the job must find it when it ends. */
const RESERVATION_GRACE_MS = DAY_MS;
/** An upstream that has just taken a job may not find it at first. */
const MISSES_MAX = 3;
const MISSES_MAX_SMALLINT = 1_000;

export type JobReader = store.JobReader;

type Decision = Readonly<{
  outcome: VideoOutcome;
  error?: VideoError;
  video?: UpstreamVideo;
  upstreamStatus: number;
}>;

export type BusyVideos = claims.BusyVideos;

export type Videos = Readonly<{
  /** When a job that is ordered now counts as stuck, and until when its money is held. */
  deadlines(): Readonly<{ expiresAtMs: number; reservedUntilMs: number }>;
  /** Runs in the transaction that holds its money, before any upstream is asked. */
  order(transaction: Queryable, job: VideoJob): Promise<void>;
  find(reader: JobReader, id: string): Promise<VideoJob | null>;
  /** By the id of its record, which the job has before there is a record. */
  findOf(accountId: string, generationId: string): Promise<VideoJob | null>;
  list(page: store.JobPage): Promise<readonly VideoJob[]>;
  /** Called before another upstream is asked. False when the job has been given up meanwhile. */
  reroute(route: Omit<store.JobRoute, 'dueAtMs'>): Promise<boolean>;
  /** An upstream has the job. False when it has been given up meanwhile. */
  accept(acceptance: Omit<store.Acceptance, 'atMs' | 'dueAtMs'>): Promise<boolean>;
  /** It is not known whether an upstream has the job: it is searched for from now on. */
  leaveUnanswered(id: string, attempts: VideoJob['attempts']): Promise<void>;
  /** No upstream has the job, and its owner was never told of it. */
  discard(id: string): Promise<void>;
  /** For an owner who asks. Null when the upstream was asked a moment ago, or is being asked. */
  claim(id: string): Promise<VideoJob | null>;
  /** None of those that have as many under way here as they may. */
  claimDue(limit: number, busy: BusyVideos): Promise<readonly VideoJob[]>;
  /** The job goes on; `video` is null where the upstream gave no usable answer. */
  note(job: VideoJob, video: UpstreamVideo | null): Promise<void>;
  /** The upstream does not know the job. True when it has said so often enough. */
  miss(job: VideoJob): Promise<boolean>;
  isStuck(job: VideoJob): boolean;
  /** Whether a job without an answer has been searched for long enough. */
  isLost(job: VideoJob): boolean;
  postponeSearch(job: VideoJob): Promise<void>;
  /** Which of an upstream's jobs are known to be ours. */
  known(job: VideoJob, upstreamJobIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Takes an upstream's job as this one. False when this one was given up meanwhile. */
  adopt(job: VideoJob, upstreamJobId: string): Promise<boolean>;
  countUnanswered(job: VideoJob): Promise<number>;
  /** Null when its end was decided before. */
  decide(job: VideoJob, decision: Decision): Promise<VideoJob | null>;
  /** Called after its money was moved. Its owner is called, where that was asked for. */
  end(job: VideoJob, end: Readonly<{ costNanoUsd: NanoUsd; expired?: VideoError }>): Promise<VideoJob>;
}>;

type VideosOptions = Readonly<{ database: Database; clock: Clock }>;

export function createVideos(options: VideosOptions): Videos {
  const { database, clock } = options;
  const now = clock.nowMs;
  return {
    deadlines: () => ({
      expiresAtMs: now() + LIFETIME_MS,
      reservedUntilMs: now() + LIFETIME_MS + RESERVATION_GRACE_MS,
    }),
    order: (transaction, job) => store.insertJob(transaction, { job, dueAtMs: now() + SUBMIT_MS_MAX }),
    find: (reader, id) => store.findJob(database, reader, id),
    findOf: (accountId, generationId) => store.findJobOf(database, accountId, generationId),
    list: (page) => store.listJobs(database, page),
    reroute: (route) => store.rerouteJob(database, { ...route, dueAtMs: now() + SUBMIT_MS_MAX }),
    accept: (acceptance) =>
      store.acceptJob(database, { ...acceptance, atMs: now(), dueAtMs: now() + CHECK_SPACING_MS }),
    leaveUnanswered: (id, attempts) => store.leaveUnanswered(database, { id, attempts, dueAtMs: now() }),
    discard: (id) => store.discardJob(database, id),
    ...claiming(options),
    ...watching(options),
    adopt: ({ id }, upstreamJobId) => store.adoptJob(database, { id, upstreamJobId, dueAtMs: now() }),
    known: (job, upstreamJobIds) => claims.knownUpstreamJobs(database, job, upstreamJobIds),
    countUnanswered: (job) => claims.countUnanswered(database, job),
    decide: ({ id }, { outcome, error, video, upstreamStatus }) =>
      store.decideJob(database, {
        id,
        outcome,
        error: error ?? null,
        durationMs: outcome === 'completed' ? (video?.durationMs ?? null) : null,
        outputCount: outcome === 'completed' ? (video?.outputCount ?? null) : null,
        upstreamStatus,
        dueAtMs: now(),
      }),
    end: (job, end) => endOnce(job, end, options),
  };
}

function claiming({ database, clock }: VideosOptions): Pick<Videos, 'claim' | 'claimDue'> {
  return {
    claim(id) {
      const nowMs = clock.nowMs();
      const times = { nowMs, checkedBeforeMs: nowMs - CHECK_SPACING_MS, untilMs: nowMs + LEASE_MS };
      return claims.claimOne(database, { id, ...times });
    },
    claimDue(limit, busy) {
      const nowMs = clock.nowMs();
      return claims.claimDue(database, { nowMs, untilMs: nowMs + LEASE_MS, limit, busy });
    },
  };
}

type Watching = Pick<Videos, 'note' | 'miss' | 'isStuck' | 'isLost' | 'postponeSearch'>;

function watching({ database, clock }: VideosOptions): Watching {
  const nextCheckMs = (job: VideoJob): number => {
    const nowMs = clock.nowMs();
    return nowMs + (nowMs - job.createdAtMs > PATIENT_AFTER_MS ? PATIENT_SPACING_MS : CHECK_SPACING_MS);
  };
  const noteJob = (job: VideoJob, video: UpstreamVideo | null, misses: number): Promise<void> =>
    store.noteJob(database, {
      id: job.id,
      status: video?.status === 'in_progress' || job.status === 'in_progress' ? 'in_progress' : 'pending',
      progress: video?.progress ?? 0,
      misses,
      atMs: clock.nowMs(),
      dueAtMs: nextCheckMs(job),
    });
  return {
    note: (job, video) => noteJob(job, video, video === null ? job.misses : 0),
    async miss(job) {
      const misses = Math.min(job.misses + 1, MISSES_MAX_SMALLINT);
      if (misses >= MISSES_MAX) return true;
      await noteJob(job, null, misses);
      return false;
    },
    isStuck: ({ expiresAtMs }) => clock.nowMs() >= expiresAtMs,
    isLost: ({ createdAtMs }) => clock.nowMs() >= createdAtMs + UNANSWERED_MS_MAX,
    postponeSearch: ({ id, createdAtMs }) => {
      const againAtMs = clock.nowMs() + RECONCILE_SPACING_MS;
      return store.postponeJob(database, id, Math.min(againAtMs, createdAtMs + UNANSWERED_MS_MAX));
    },
  };
}

/** The end and the callback to its owner are written together, so that neither is lost without the other. */
function endOnce(
  job: VideoJob,
  { costNanoUsd, expired }: Parameters<Videos['end']>[1],
  { database, clock }: VideosOptions,
): Promise<VideoJob> {
  const { id, callbackUrl } = job;
  const atMs = clock.nowMs();
  const outcome = expired === undefined ? (job.outcome ?? 'failed') : 'failed';
  return database.transaction(async (transaction) => {
    const ended = await store.endJob(transaction, { id, outcome, error: expired ?? job.error, costNanoUsd, atMs });
    if (ended === null) return (await store.readJob(transaction, id)) ?? job;
    if (callbackUrl !== null) {
      await insertCallback(transaction, { jobId: id, url: callbackUrl, host: new URL(callbackUrl).host, atMs });
    }
    return ended;
  });
}
