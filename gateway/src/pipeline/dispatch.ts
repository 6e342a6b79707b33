// The attempt loop: candidates in order until one answers. A failure that is the caller's own doing ends it at once,
// anything else moves on to the next candidate. Nothing has been sent to the client yet while this runs.

import type { Candidate } from '../canonical/model.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import { failureToApiError, isCallersFault } from '../upstreams/failure.ts';
import type { UpstreamFailure } from '../upstreams/protocol.ts';
import type { Transport } from '../upstreams/transport/transport.ts';
import { attemptStream, type OpenStream } from './attempt-stream.ts';
import { attemptWhole, type WholeAnswer } from './attempt-whole.ts';
import type { Call } from './call.ts';
import type { Ending } from './completion.ts';
import type { UpstreamTimeouts } from './prepare-attempt.ts';
import type { Presence } from './presence.ts';

/** What one try came to. Failover switches on it, so it is a value and never thrown. */
export type AttemptOutcome =
  | Readonly<{ kind: 'whole'; status: number; answer: WholeAnswer }>
  | Readonly<{ kind: 'stream'; status: number; stream: OpenStream }>
  | Readonly<{ kind: 'failed'; status: number; failure: UpstreamFailure }>
  | Readonly<{ kind: 'abandoned' }>;

export type Dispatched =
  | Readonly<{ kind: 'whole'; answer: WholeAnswer; ending: Ending }>
  | Readonly<{ kind: 'stream'; stream: OpenStream; ending: Ending }>
  | Readonly<{ kind: 'failed'; error: Error; ending: Ending }>
  | Readonly<{ kind: 'abandoned'; ending: Ending }>;

export type DispatchServices = Readonly<{
  transport: Transport;
  logger: Logger;
  metrics: Pick<Metrics, 'upstreamAttempt'>;
  timeouts: UpstreamTimeouts;
}>;

/** Bounds the whole call, however many providers and fallback models there are. */
const ATTEMPTS_MAX = 12;

export async function dispatch(
  call: Call,
  candidates: readonly Candidate[],
  presence: Presence,
  services: DispatchServices,
): Promise<Dispatched> {
  const attempt = call.request.isStream ? attemptStream : attemptWhole;
  let last: Readonly<{ failure: UpstreamFailure; ending: Ending }> | null = null;
  for (const [index, candidate] of candidates.slice(0, ATTEMPTS_MAX).entries()) {
    const outcome = await attempt({ call, candidate, timeouts: services.timeouts }, services.transport, presence);
    const ending = endingOf(candidate, index, outcome);
    const result = outcome.kind === 'failed' ? outcome.failure.kind : outcome.kind;
    services.metrics.upstreamAttempt(candidate.provider.name, result);
    switch (outcome.kind) {
      case 'whole':
        return { kind: 'whole', answer: outcome.answer, ending };
      case 'stream':
        return { kind: 'stream', stream: outcome.stream, ending };
      case 'abandoned':
        return { kind: 'abandoned', ending };
      case 'failed':
        services.logger.warn(describe(call, ending, outcome.failure), 'attempt failed');
        last = { failure: outcome.failure, ending };
    }
    if (isCallersFault(last.failure)) break;
  }
  if (last === null) throw new Error('dispatch needs at least one candidate');
  return { kind: 'failed', error: failureToApiError(last.failure), ending: last.ending };
}

function endingOf(candidate: Candidate, index: number, outcome: AttemptOutcome): Ending {
  return {
    candidate,
    upstreamStatus: outcome.kind === 'abandoned' ? 0 : outcome.status,
    finishReason: null,
    firstTokenMs: null,
    attempts: index + 1,
    isFailover: index > 0,
  };
}

function describe(call: Call, ending: Ending, failure: UpstreamFailure) {
  return {
    generationId: call.generationId,
    provider: ending.candidate.provider.name,
    model: ending.candidate.model.id,
    status: ending.upstreamStatus,
    failure: failure.kind,
    detail: failure.detail,
  };
}
