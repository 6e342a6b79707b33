// Makes the spans of calls. A call that is not sampled has a span too, which records nothing and only passes the trace
// on, so that the next service decides the same.

import type { Clock } from '../clock.ts';
import { newSpanId, newTraceId } from '../ids.ts';
import { ForcedShare } from './forced-share.ts';
import { isSampled, type Sampler } from './sampler.ts';
import type { AttributeValue, Span, SpanKind, SpanRecord } from './span.ts';
import { formatTraceparent, parseTraceparent, parseTracestate, type TraceContext } from './trace-context.ts';

/** The two headers as they came; undefined where they did not. */
type IncomingTrace = Readonly<{ traceparent: string | undefined; tracestate: string | undefined }>;

export type Tracer = Readonly<{
  begin(name: string, incoming: IncomingTrace): Span;
  /** Sends what is left, as far as that is quickly possible. */
  close(): Promise<void>;
}>;

type TracerInput = Readonly<{
  clock: Clock;
  sampler: Sampler;
  onEnded(record: SpanRecord): void;
  close(): Promise<void>;
}>;

type Trace = Readonly<{
  traceId: string;
  tracestate: string | null;
  /** Wall time now; monotonic within a trace, so that no span ends before it began. */
  nowMs(): number;
  onEnded(record: SpanRecord): void;
}>;

export function createTracer({ clock, sampler, onEnded, close }: TracerInput): Tracer {
  const share = new ForcedShare(clock);
  return {
    begin(name, { traceparent, tracestate }) {
      const caller = traceparent === undefined ? null : parseTraceparent(traceparent);
      const traceId = caller?.traceId ?? newTraceId();
      const state = caller === null || tracestate === undefined ? null : parseTracestate(tracestate);
      share.count();
      if (!isSampled(sampler, traceId, caller, () => share.take())) {
        return new PassingSpan({ traceId, spanId: newSpanId(), isSampled: false }, state);
      }
      const offsetMs = clock.nowMs() - clock.monotonicMs();
      const trace = { traceId, tracestate: state, nowMs: () => offsetMs + clock.monotonicMs(), onEnded };
      return new RecordedSpan(trace, { name, kind: 'server', parentSpanId: caller?.spanId ?? null });
    },
    close,
  };
}

function contextHeaders(context: TraceContext, tracestate: string | null): readonly string[] {
  const headers = ['traceparent', formatTraceparent(context)];
  return tracestate === null ? headers : [...headers, 'tracestate', tracestate];
}

class RecordedSpan implements Span {
  readonly #trace: Trace;
  readonly #about: Readonly<{ name: string; kind: SpanKind; parentSpanId: string | null }>;
  readonly #spanId = newSpanId();
  readonly #attributes = new Map<string, AttributeValue>();
  readonly #startMs: number;
  #hasFailed = false;
  #isOver = false;

  constructor(trace: Trace, about: Readonly<{ name: string; kind: SpanKind; parentSpanId: string | null }>) {
    this.#trace = trace;
    this.#about = about;
    this.#startMs = trace.nowMs();
  }

  child(name: string, kind: SpanKind): Span {
    return new RecordedSpan(this.#trace, { name, kind, parentSpanId: this.#spanId });
  }

  set(name: string, value: AttributeValue): void {
    this.#attributes.set(name, value);
  }

  fail(errorType: string): void {
    this.#hasFailed = true;
    this.#attributes.set('error.type', errorType);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { traceId, tracestate, nowMs, onEnded } = this.#trace;
    onEnded({
      traceId,
      spanId: this.#spanId,
      tracestate,
      ...this.#about,
      startMs: this.#startMs,
      endMs: nowMs(),
      attributes: this.#attributes,
      hasFailed: this.#hasFailed,
    });
  }

  headers(): readonly string[] {
    const { traceId, tracestate } = this.#trace;
    return contextHeaders({ traceId, spanId: this.#spanId, isSampled: true }, tracestate);
  }
}

class PassingSpan implements Span {
  readonly #headers: readonly string[];

  constructor(context: TraceContext, tracestate: string | null) {
    this.#headers = contextHeaders(context, tracestate);
  }

  child(): Span {
    return this;
  }

  set(): void {}

  fail(): void {}

  end(): void {}

  headers(): readonly string[] {
    return this.#headers;
  }
}
