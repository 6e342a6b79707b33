// What dispatch brought goes to the client, in the form it came in, or becomes the error the client gets. Success
// headers are added here, when success is certain.

import type { CanonicalRequest } from '../canonical/operation.ts';
import { type Usage, zeroUsage } from '../canonical/usage.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Exchange } from '../http/exchange.ts';
import { startFile } from '../http/respond.ts';
import { startEventStream } from '../http/sse.ts';
import type { UpstreamFailure } from '../upstreams/protocol.ts';
import type { OpenStream } from './attempt-stream.ts';
import type { Call } from './call.ts';
import type { Completion } from './completion.ts';
import type { Dispatched } from './dispatch.ts';
import type { Presence } from './presence.ts';
import { relayStream } from './relay-stream.ts';
import { relayWhole } from './relay-whole.ts';
import type { InferenceServices } from './services.ts';

const GENERATION_ID = 'X-Generation-Id';

export type RelayInput = Readonly<{
  exchange: Exchange;
  call: Call;
  completion: Completion;
  presence: Presence;
  dispatched: Dispatched;
}>;

export function relay(input: RelayInput, services: InferenceServices): Promise<void> | void {
  const { exchange, call, completion, presence, dispatched } = input;
  const { ending } = dispatched;
  switch (dispatched.kind) {
    case 'failed':
      releaseFailed(input, dispatched.failure);
      throw named(dispatched.error, call);
    case 'abandoned':
      completion.absorb(ending, unansweredUsage(call.request), 'abandoned');
      return;
    case 'whole':
      pushSuccessHeaders(input);
      return relayWhole({ exchange, call, answer: dispatched.answer, ending, completion });
    case 'stream': {
      pushSuccessHeaders(input);
      startStream(exchange, dispatched.stream);
      const firstTokenMs = Math.round(services.clock.monotonicMs() - call.startedMonotonicMs);
      return relayStream({
        call,
        stream: dispatched.stream,
        ending: { ...ending, firstTokenMs },
        completion,
        response: exchange.response,
        presence,
        ledger: services.ledger,
        keepAlive: services.keepAlive,
        isAbandonedCharged: services.catalog.current().isAbandonedCharged,
      });
    }
  }
}

/** A call that failed has its record too. */
function named(error: Error, { generationId }: Call): Error {
  return error instanceof ApiError ? error.withHeader(GENERATION_ID, generationId) : error;
}

/** An upstream that worked in vain, for longer or on more than we take, has cost something all the same. */
function releaseFailed({ call, completion, dispatched }: RelayInput, failure: UpstreamFailure['kind'] | null): void {
  const { ending } = dispatched;
  if (failure === 'bound') completion.absorb(ending, unansweredUsage(call.request), 'oversize');
  else if (failure === 'timeout') completion.absorb(ending, unansweredUsage(call.request), 'interrupted');
  else completion.release(ending);
}

/** What an upstream has read of a call, at most, when nobody waited for its answer. */
function unansweredUsage({ promptTokensEstimate, unitsMax }: CanonicalRequest): Usage {
  return { ...zeroUsage, promptTokens: promptTokensEstimate, units: unitsMax };
}

function startStream(exchange: Exchange, { pipe }: OpenStream): void {
  // It has begun already where the client has been told to wait.
  if (exchange.response.headersSent) return;
  if (pipe.raw === undefined) startEventStream(exchange);
  else startFile(exchange, pipe.raw.contentType);
}

function pushSuccessHeaders({ exchange, call, dispatched }: RelayInput): void {
  exchange.headers.push(GENERATION_ID, call.generationId);
  const { freeShare } = dispatched.ending.candidate;
  if (freeShare !== undefined && freeShare.exhausted !== null) {
    exchange.headers.push('x-tollgate-free-fallback', freeShare.exhausted);
  }
  if (call.auto !== null) exchange.headers.push('X-Auto-Resolved-Model', dispatched.ending.candidate.model.id);
}
