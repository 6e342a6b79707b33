// A span while it runs and after it. Spans hold metadata: names, figures, statuses; never a header, a key, a body or a
// prompt, because people who read traces may not be allowed to read those.

export type AttributeValue = string | number | boolean | readonly string[];

export type SpanKind = 'internal' | 'server' | 'client';

export type Span = Readonly<{
  child(name: string, kind: SpanKind): Span;
  set(name: string, value: AttributeValue): void;
  /** `errorType` is one of few: a code or a kind, never a message. */
  fail(errorType: string): void;
  /** Only the first end counts. */
  end(): void;
  /** Names and values in turn, for the service that is called within this span. */
  headers(): readonly string[];
}>;

/** A span that has ended, as it is exported. */
export type SpanRecord = Readonly<{
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  tracestate: string | null;
  name: string;
  kind: SpanKind;
  startMs: number;
  endMs: number;
  attributes: ReadonlyMap<string, AttributeValue>;
  hasFailed: boolean;
}>;
