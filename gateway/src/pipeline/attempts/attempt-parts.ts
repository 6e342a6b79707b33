// What a call gives to an attempt, and what it hears of it.

import type { UpstreamTimeouts } from '../../canonical/model.ts';
import type { AnswerOf, Operation } from '../../canonical/operation.ts';
import type { StreamOutput, StreamPipe } from '../../dialects/stream-pipe.ts';
import type { RouteAttempt } from '../../modules/routing/route-attempt.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Decoded, UpstreamFailure } from '../../upstreams/protocol.ts';
import type { AnswerRoom } from '../answer-room.ts';
import type { Call } from '../call.ts';
import type { AttemptTrace } from '../call-trace.ts';
import type { RoutedCandidate } from '../route.ts';

export type WholeAnswer = Extract<Decoded<AnswerOf<Operation>>, { kind: 'answer' }>;

/**
 * What a call hears of its attempts. Exactly one of the first three comes first; the others follow an opened stream.
 */
export type AttemptOwner<Attempt> = {
  onAnswered(attempt: Attempt, answer: WholeAnswer): void;
  /** The first piece for the client. */
  onOpened(attempt: Attempt, pipe: StreamPipe, output: StreamOutput): void;
  onFailed(attempt: Attempt, failure: UpstreamFailure): void;
  onOutput(output: StreamOutput): void;
  /** The stream is over; where its answer was whole by then, the failure does not count. */
  onBroken(failure: UpstreamFailure): void;
  /** A fault of our own. */
  onCrashed(error: unknown): void;
};

/**
 * The upstream's work is done and counted: whatever comes after that, an error, what cannot be read or nothing at all,
 * is no failure of the answer, unless there is not a word of one. What the organization's own rules end is not whole.
 */
export const isWhole = ({ hasFinished, hasUsage, hasSpoken, fault }: StreamPipe): boolean =>
  hasFinished && hasUsage && (fault === null || (fault.kind !== 'blocked' && hasSpoken));

export type AttemptParts<Attempt> = Readonly<{
  /** The call as this candidate gets it. */
  call: Call;
  candidate: RoutedCandidate;
  timeouts: UpstreamTimeouts;
  health: RouteAttempt;
  /** The route has failed this call before, so a second failure does not count against the route again. */
  isRetry: boolean;
  trace: AttemptTrace | null;
  clock: Clock;
  room: AnswerRoom;
  owner: AttemptOwner<Attempt>;
}>;
