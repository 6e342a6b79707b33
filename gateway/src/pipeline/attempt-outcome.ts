// What one try at an upstream came to. Failover switches on it, so it is a value and never thrown.

import type { UpstreamFailure } from '../upstreams/protocol.ts';
import type { OpenStream } from './attempt-stream.ts';
import type { WholeAnswer } from './attempt-whole.ts';

export type AttemptOutcome =
  | Readonly<{ kind: 'whole'; status: number; answer: WholeAnswer }>
  | Readonly<{ kind: 'stream'; status: number; stream: OpenStream }>
  | Readonly<{ kind: 'failed'; status: number; failure: UpstreamFailure }>
  | Readonly<{ kind: 'abandoned' }>;
