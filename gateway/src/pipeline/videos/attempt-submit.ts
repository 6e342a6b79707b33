// One try at ordering a video. Whether it came to anything must be certain before anybody else is asked: an order whose
// answer was lost may well have been taken, and a second one would be a second video.

import type { UpstreamTimeouts } from '../../canonical/model.ts';
import type { UpstreamVideo } from '../../canonical/video.ts';
import { assert } from '../../platform/assert.ts';
import { failureOfTransport } from '../../upstreams/failure.ts';
import type { UpstreamFailure } from '../../upstreams/protocol.ts';
import { type Transport, WholeReceiver } from '../../upstreams/transport/receiver.ts';
import type { Call } from '../call.ts';
import { prepareAttempt } from '../prepare-attempt.ts';
import type { RoutedCandidate } from '../route.ts';

export type SubmitOutcome =
  | Readonly<{ kind: 'taken'; status: number; video: UpstreamVideo }>
  /** It may have been taken or not. */
  | Readonly<{ kind: 'unsure'; status: number; failure: UpstreamFailure }>
  /** It was certainly not. */
  | Readonly<{ kind: 'refused'; status: number; failure: UpstreamFailure }>;

const FIRST_BYTE_MS_MAX = 60_000;
const IDLE_MS_MAX = 20_000;
const TOTAL_MS_MAX = 100_000;

/** What somebody in between says who has lost the upstream's answer, or did not wait for it. */
const LOST_STATUSES: ReadonlySet<number> = new Set([408, 502, 504, 520, 522, 523, 524]);

export function attemptSubmit(
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
        const decoded = codec.decode({ headers, body }, request);
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

/** It said yes in words that cannot be understood. */
const isUnreadable = ({ kind }: UpstreamFailure): boolean => kind === 'malformed';
