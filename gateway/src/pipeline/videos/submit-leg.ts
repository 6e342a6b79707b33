// Orders a video from the first candidate that takes it. The job and the money held for it are in the database before
// any provider is asked, so that another process can finish the job when this one dies.

import type { AttemptEntry } from '../../canonical/generation.ts';
import type { UpstreamTimeouts } from '../../canonical/model.ts';
import type { SpendCap } from '../../canonical/spend-cap.ts';
import type { UpstreamVideo } from '../../canonical/video.ts';
import type { VideoJob } from '../../canonical/video-job.ts';
import type { OfferedRoute } from '../../modules/routing/offered-route.ts';
import type { RouteAttempt } from '../../modules/routing/route-attempt.ts';
import type { Videos } from '../../modules/videos/videos.ts';
import { assert } from '../../platform/assert.ts';
import { newTimedId } from '../../platform/ids.ts';
import { failureOfTransport, failureToApiError, isCallersFault, isProviderFailure } from '../../upstreams/failure.ts';
import type { UpstreamFailure } from '../../upstreams/protocol.ts';
import { type Transport, WholeReceiver } from '../../upstreams/transport/receiver.ts';
import { prepareAttempt } from '../attempts/prepare-attempt.ts';
import { refuseUnasked, tellingFailure } from '../attempts/retry.ts';
import type { Call } from '../call.ts';
import type { RoutedCandidate } from '../route.ts';
import type { InferenceServices } from '../services.ts';
import type { FittedVideo } from './fit-video.ts';
import { NO_MONEY, newJob, recordOf } from './new-job.ts';
import { priceOf } from './price-video.ts';

export type SubmitServices = InferenceServices &
  Readonly<{
    videos: Videos;
    /** Derived for this purpose alone. */
    videoFingerprintKey: Buffer;
  }>;

type Leg = Readonly<{
  /** The job of an order that may be repeated; null for an order that always makes a new job. */
  jobId: string | null;
  call: Call;
  fitted: FittedVideo;
  candidates: readonly [RoutedCandidate, ...RoutedCandidate[]];
  firstChoice: OfferedRoute | null;
  caps: readonly SpendCap[];
  earlierAttempts: readonly AttemptEntry[];
}>;

export type LegOutcome =
  | Readonly<{ kind: 'ordered'; job: VideoJob }>
  | Readonly<{ kind: 'refused'; error: Error; attempts: readonly AttemptEntry[] }>;

export async function submitLeg(leg: Leg, services: SubmitServices): Promise<LegOutcome> {
  const { jobId: id, call, fitted, candidates } = leg;
  const { expiresAtMs, reservedUntilMs } = services.videos.deadlines();
  const job = newJob({
    ...{ id, call, fitted, candidates, expiresAtMs },
    generationId: newTimedId('gen', call.startedAtMs),
    isFailover: candidates[0].offered !== leg.firstChoice,
    fingerprintKey: services.videoFingerprintKey,
  });
  const { generationId, accountId, userId, keyId, heldNanoUsd: amountNanoUsd } = job;
  const held = { id: generationId, accountId, userId, keyId, caps: leg.caps, amountNanoUsd };
  const reservation = { ...held, expiresAtMs: reservedUntilMs };
  await services.ledger.reserveDurable(reservation, (transaction) => services.videos.order(transaction, job));
  return new VideoOrder(leg, job, services).run();
}

class VideoOrder {
  readonly #leg: Leg;
  readonly #services: SubmitServices;
  readonly #attempts: AttemptEntry[];
  readonly #failures: UpstreamFailure[] = [];
  #job: VideoJob;

  constructor(leg: Leg, job: VideoJob, services: SubmitServices) {
    this.#leg = leg;
    this.#job = job;
    this.#services = services;
    this.#attempts = [...leg.earlierAttempts];
  }

  async run(): Promise<LegOutcome> {
    for (const candidate of this.#leg.candidates) {
      // Jobs are polled with the provider's first key, because a vendor may show a job only to the key that ordered it.
      const keysTried = candidate.provider.keys?.slice(1).map(({ name }) => name) ?? [];
      const { accountId } = this.#leg.call.caller;
      const health = this.#services.routing.begin(candidate.offered, false, { accountId, keysTried });
      if (health === null) continue;
      const isOurs = candidate === this.#leg.candidates[0] || (await this.#moveTo(candidate, health));
      if (!isOurs) return { kind: 'ordered', job: this.#job };
      const outcome = await this.#ask(candidate, health);
      if (outcome.kind !== 'refused') return { kind: 'ordered', job: await this.#keep(outcome) };
      this.#failures.push(outcome.failure);
      // What one provider of a model refuses, its others refuse too.
      if (isCallersFault(outcome.failure)) break;
    }
    return this.#giveUp();
  }

  /** Writes the candidate into the row before it is asked. False when the job was given up meanwhile. */
  async #moveTo(candidate: RoutedCandidate, health: RouteAttempt): Promise<boolean> {
    const { id } = this.#job;
    const route = {
      id,
      providerName: candidate.provider.name,
      upstreamModel: candidate.upstreamModel,
      ...priceOf(candidate, this.#leg.fitted.request),
      isFailover: candidate.offered !== this.#leg.firstChoice,
    };
    const isOurs = await this.#services.videos.reroute(route);
    if (isOurs) this.#job = { ...this.#job, ...route };
    else health.dropped();
    return isOurs;
  }

  async #ask(candidate: RoutedCandidate, health: RouteAttempt): Promise<SubmitOutcome> {
    const { clock, transport, timeouts, metrics, logger } = this.#services;
    const startedMs = clock.monotonicMs();
    const waits = { ...timeouts, ...candidate.provider.timeouts };
    const outcome = await attemptSubmit(this.#leg.call, candidate, waits, transport);
    const nowMs = clock.monotonicMs();
    const { kind, status } = outcome;
    const word = kind === 'taken' ? 'answered' : outcome.failure.kind;
    const { upstreamModel, provider } = candidate;
    const durationMs = Math.round(nowMs - startedMs);
    this.#attempts.push({ provider: provider.name, upstreamModel, outcome: word, status, durationMs });
    metrics.upstreamAttempt(provider.name, word);
    if (outcome.kind === 'taken') health.succeeded(null, startedMs, nowMs);
    else {
      if (isProviderFailure(outcome.failure)) health.failed(outcome.failure, nowMs);
      else health.declined();
      // What a customer's own upstream says of a failure may be anything, its key included.
      const detail = candidate.own === undefined ? outcome.failure.detail : undefined;
      logger.warn(
        { jobId: this.#job.id, provider: provider.name, kind, status, detail },
        'a provider did not take the order of a video',
      );
    }
    return outcome;
  }

  async #keep(outcome: Exclude<SubmitOutcome, { kind: 'refused' }>): Promise<VideoJob> {
    const { videos, logger } = this.#services;
    const { id } = this.#job;
    if (outcome.kind === 'unsure') {
      await videos.leaveUnanswered(id, this.#attempts);
      return this.#job;
    }
    const { video, status } = outcome;
    const acceptance = { id, upstreamJobId: video.id, upstreamStatus: status, attempts: this.#attempts };
    if (!(await videos.accept(acceptance))) logger.error({ jobId: id }, 'an upstream took a video that was given up');
    return this.#job;
  }

  /** The money is released first, because a failed job with a reservation would hold it for a day. */
  async #giveUp(): Promise<LegOutcome> {
    const { ledger, videos, clock, routing } = this.#services;
    const { id, generationId } = this.#job;
    const attempts = this.#attempts;
    const record = recordOf({ ...this.#job, attempts, outcome: 'failed' }, NO_MONEY, clock.nowMs());
    await ledger.releaseDurable(generationId, 'no provider took the job', record);
    await videos.discard(id);
    const failure = tellingFailure(this.#failures);
    const error =
      failure === null
        ? refuseUnasked(this.#leg.candidates, routing, this.#leg.call.caller.accountId)
        : failureToApiError(failure);
    return { kind: 'refused', error, attempts };
  }
}

// One try at ordering a video. Whether the upstream has taken the order must be certain before another one is asked: an
// order whose answer was lost may have been taken, and a second order would be a second video.

type SubmitOutcome =
  | Readonly<{ kind: 'taken'; status: number; video: UpstreamVideo }>
  /** The upstream may or may not have taken the order. */
  | Readonly<{ kind: 'unsure'; status: number; failure: UpstreamFailure }>
  /** The upstream has certainly not taken the order. */
  | Readonly<{ kind: 'refused'; status: number; failure: UpstreamFailure }>;

const FIRST_BYTE_MS_MAX = 60_000;
const IDLE_MS_MAX = 20_000;
const TOTAL_MS_MAX = 100_000;

/** Statuses of a proxy that lost the upstream's answer or did not wait for it. */
const LOST_STATUSES: ReadonlySet<number> = new Set([408, 502, 504, 520, 522, 523, 524]);

function attemptSubmit(
  call: Call,
  candidate: RoutedCandidate,
  timeouts: UpstreamTimeouts,
  transport: Transport,
): Promise<SubmitOutcome> {
  const bounded: UpstreamTimeouts = {
    ...timeouts,
    wholeFirstByteMs: Math.min(timeouts.wholeFirstByteMs, FIRST_BYTE_MS_MAX),
    idleMs: Math.min(timeouts.idleMs, IDLE_MS_MAX),
    totalMs: Math.min(timeouts.totalMs, TOTAL_MS_MAX),
  };
  const prepared = prepareAttempt({ call, candidate, timeouts: bounded });
  const { codec, request } = prepared;
  return new Promise((resolve) => {
    const receiver = new WholeReceiver(
      (status, headers, body) => {
        if (status < 200 || status > 299) {
          const failure = codec.decodeError(status, headers, body);
          resolve({ kind: LOST_STATUSES.has(status) ? 'unsure' : 'refused', status, failure });
          return;
        }
        assert(codec.decode !== undefined, 'orders of videos have whole answers');
        const decoded = codec.decode({ headers, body }, request, candidate);
        if (decoded.kind === 'answer') resolve({ kind: 'taken', status, video: decoded.answer as UpstreamVideo });
        else resolve({ kind: isUnreadable(decoded.failure) ? 'unsure' : 'refused', status, failure: decoded.failure });
      },
      (failure) => {
        const kind = failure.isUnsent ? 'refused' : 'unsure';
        resolve({ kind, status: 0, failure: failureOfTransport(failure) });
      },
    );
    transport.send(prepared.call, receiver);
  });
}

/** The upstream accepted, but its answer cannot be read. */
const isUnreadable = ({ kind }: UpstreamFailure): boolean => kind === 'malformed';
