// The trace of one call: a span for the whole of it, and within that one for its admission, one for each attempt and
// one for its settlement. There is none while tracing is off, so stages ask with `?.` and a call then pays a
// comparison.

import type { Candidate } from '../canonical/model.ts';
import type { Operation } from '../canonical/operation.ts';
import type { Usage } from '../canonical/usage.ts';
import { asApiError } from '../http/error-response.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Clock } from '../platform/clock.ts';
import type { Span } from '../platform/tracing/span.ts';
import type { Tracer } from '../platform/tracing/tracer.ts';
import type { Receiver, Transport } from '../upstreams/transport/receiver.ts';

/** Who answered, and after how many attempts. */
type Answered = Readonly<{ candidate: Candidate; finishReason: string | null; attempts: number }>;

type TraceServices = Readonly<{ tracer: Tracer; clock: Clock }>;

/** A client that left without an answer has no status of ours. */
const CLIENT_GONE = 499;

export class CallTrace {
  readonly #exchange: Exchange;
  readonly #operation: Operation;
  readonly #clock: Clock;
  readonly #root: Span;
  /** Everything before the first attempt. */
  readonly #admission: Span;
  #attempt: AttemptTrace | null = null;
  #settlement: Span | null = null;

  constructor(exchange: Exchange, operation: Operation, { tracer, clock }: TraceServices) {
    this.#exchange = exchange;
    this.#operation = operation;
    this.#clock = clock;
    const { request, route, requestId } = exchange;
    const { traceparent, tracestate } = request.headers;
    this.#root = tracer.begin(`${route.method} ${route.path}`, {
      traceparent: asText(traceparent),
      tracestate: asText(tracestate),
    });
    this.#root.set('http.request.method', route.method);
    this.#root.set('http.route', route.path);
    this.#root.set('gen_ai.operation.name', operation);
    this.#root.set('tollgate.request_id', requestId);
    this.#admission = this.#root.child('admission', 'internal');
  }

  /** Runs the call; what it throws is rethrown to the handler that answers the client. */
  async around(run: () => Promise<void>): Promise<void> {
    const { response } = this.#exchange;
    try {
      await run();
      this.#end(response.headersSent ? response.statusCode : CLIENT_GONE);
    } catch (error) {
      const { status, code } = asApiError(error);
      // An answer that has begun keeps its status, so the failure is noted on the span.
      this.#root.fail(code);
      if (this.#attempt === null) this.#admission.fail(code);
      this.#end(response.headersSent ? response.statusCode : status);
      throw error;
    }
  }

  beginAttempt(candidate: Candidate): AttemptTrace {
    this.#admission.end();
    this.#attempt?.end();
    this.#root.set('gen_ai.request.model', candidate.model.id);
    const attempt = new AttemptTrace(this.#root, { candidate, operation: this.#operation, clock: this.#clock });
    this.#attempt = attempt;
    return attempt;
  }

  /** The answer is complete: what it used is being charged. */
  beginSettlement(ending: Answered, usage: Usage): void {
    this.#answered(ending);
    this.#root.set('gen_ai.usage.input_tokens', usage.promptTokens);
    this.#root.set('gen_ai.usage.output_tokens', usage.completionTokens);
    this.#root.set('tollgate.outcome', 'settled');
    this.#settlement = this.#root.child('settlement', 'internal');
  }

  /** The charge is durable. */
  settled(): void {
    this.#settlement?.end();
  }

  /** Nothing is charged. */
  released(ending: Answered | null, reason: string | null): void {
    if (ending !== null) this.#answered(ending);
    this.#root.set('tollgate.outcome', reason ?? 'released');
    if (reason === 'interrupted' || reason === 'exhausted') this.#root.fail(reason);
  }

  identify(generationId: string): void {
    this.#root.set('gen_ai.response.id', generationId);
  }

  #answered({ candidate, finishReason, attempts }: Answered): void {
    this.#attempt?.end();
    this.#root.set('gen_ai.response.model', candidate.model.id);
    this.#root.set('tollgate.attempts', attempts);
    if (finishReason !== null) this.#root.set('gen_ai.response.finish_reasons', [finishReason]);
  }

  #end(status: number): void {
    this.#admission.end();
    this.#attempt?.end();
    this.#settlement?.end();
    this.#root.set('http.response.status_code', status);
    this.#root.end();
  }
}

type AttemptParts = Readonly<{ candidate: Candidate; operation: Operation; clock: Clock }>;

export class AttemptTrace {
  readonly #span: Span;
  readonly #clock: Clock;
  readonly #startedMs: number;

  constructor(root: Span, { candidate, operation, clock }: AttemptParts) {
    const { provider, own, upstreamModel, model } = candidate;
    // An organization's names and addresses of its own models stay out of traces.
    const modelName = own === undefined ? upstreamModel : model.id;
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
    this.#span = root.child(`${operation} ${modelName}`, 'client');
    this.#span.set('gen_ai.operation.name', operation);
    this.#span.set('gen_ai.provider.name', provider.name);
    this.#span.set('gen_ai.request.model', modelName);
    if (own === undefined) this.#span.set('server.address', new URL(provider.baseUrl).hostname);
  }

  /** The transport, which passes the trace on and notes when the upstream begins to answer. */
  through(transport: Transport): Transport {
    return {
      send: (call, receiver) =>
        transport.send({ ...call, headers: [...call.headers, ...this.#span.headers()] }, this.#watch(receiver)),
      close: transport.close,
    };
  }

  /** The span of a stream ends with the stream, later than this. `failure` is null for an attempt that answered. */
  decided(status: number, failure: string | null): void {
    if (status !== 0) this.#span.set('http.response.status_code', status);
    if (failure === null) return;
    this.#span.fail(failure);
    this.end();
  }

  end(): void {
    this.#span.end();
  }

  #watch(receiver: Receiver): Receiver {
    let hasData = false;
    return {
      onStart: (status, headers) => {
        this.#span.set('tollgate.time_to_first_byte_ms', this.#clock.monotonicMs() - this.#startedMs);
        receiver.onStart(status, headers);
      },
      onData: (chunk) => {
        if (!hasData) {
          hasData = true;
          const seconds = (this.#clock.monotonicMs() - this.#startedMs) / 1_000;
          this.#span.set('gen_ai.response.time_to_first_chunk', seconds);
        }
        return receiver.onData(chunk);
      },
      onEnd: () => receiver.onEnd(),
      onFail: (failure) => receiver.onFail(failure),
    };
  }
}

const asText = (header: string | readonly string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : undefined;
