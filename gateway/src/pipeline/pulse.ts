// Keeps a client that waits for events from giving up: once a minute it gets a sign of life, from the first minute on,
// also while nobody has answered yet. A failure within that minute is still an ordinary error answer; after it, the
// answer has begun, and the failure is an event.

import type { Pulse } from '../dialects/dialect.ts';
import { asApiError } from '../http/error-response.ts';
import type { Exchange } from '../http/exchange.ts';
import { startEventStream } from '../http/sse.ts';
import type { Clock } from '../platform/clock.ts';
import type { Call } from './call.ts';

/** Specification, Events: a heartbeat every 60 s. */
const BEAT_MS = 60_000;

type Waiting = Readonly<{ exchange: Exchange; call: Call; clock: Clock }>;

/** Most calls have none, and are served as they are. */
export function withPulse(waiting: Waiting, serve: () => Promise<void>): Promise<void> {
  const { call } = waiting;
  const pulse = call.dialect.pulse?.(call.request) ?? null;
  return pulse === null ? serve() : serveWith(pulse, waiting, serve);
}

async function serveWith(pulse: Pulse, { exchange, call, clock }: Waiting, serve: () => Promise<void>): Promise<void> {
  const { response } = exchange;
  let hasBegun = false;
  const stop = clock.every(BEAT_MS, () => {
    if (response.writableEnded || response.destroyed) return;
    if (!response.headersSent) {
      hasBegun = true;
      startEventStream(exchange, ['X-Generation-Id', call.generationId]);
    }
    response.write(pulse.frame);
  });
  try {
    await serve();
  } catch (error) {
    if (hasBegun && !response.writableEnded) response.end(pulse.failure(asApiError(error)));
    // For whoever logs it; the client has its answer.
    throw error;
  } finally {
    stop();
  }
}
