// What dispatch brought goes to the client, in the form it came in, or becomes the error the client gets. Success
// headers are added here, when success is certain.

import { zeroUsage } from '../canonical/usage.ts';
import type { Exchange } from '../http/exchange.ts';
import { startEventStream } from '../http/sse.ts';
import type { Call } from './call.ts';
import type { Completion } from './completion.ts';
import type { Dispatched } from './dispatch.ts';
import type { Presence } from './presence.ts';
import { relayStream } from './relay-stream.ts';
import { relayWhole } from './relay-whole.ts';
import type { InferenceServices } from './services.ts';

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
      completion.release(ending);
      throw dispatched.error;
    case 'abandoned':
      completion.absorb(ending, { ...zeroUsage, promptTokens: call.request.promptTokensEstimate }, 'abandoned');
      return;
    case 'whole':
      pushSuccessHeaders(input);
      return relayWhole({ exchange, call, answer: dispatched.answer, ending, completion });
    case 'stream': {
      pushSuccessHeaders(input);
      startEventStream(exchange);
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
      });
    }
  }
}

function pushSuccessHeaders({ exchange, call, dispatched }: RelayInput): void {
  exchange.headers.push('X-Generation-Id', call.generationId);
  if (call.auto !== null) exchange.headers.push('X-Auto-Resolved-Model', dispatched.ending.candidate.model.id);
}
