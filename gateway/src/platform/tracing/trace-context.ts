// The headers that make the spans of several services one trace, in the form of the W3C recommendation. They come from
// anybody, so a header that does not fit exactly counts as absent and a new trace begins.

export type TraceContext = Readonly<{ traceId: string; spanId: string; isSampled: boolean }>;

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);
const SAMPLED = 1;

/** Null for text that is not a context. Later versions may add fields after those that we know. */
export function parseTraceparent(text: string): TraceContext | null {
  const [, version, traceId = '', spanId = '', flags = '', rest] = TRACEPARENT.exec(text) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return null;
  if (traceId === NO_TRACE || spanId === NO_SPAN) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export const formatTraceparent = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-0${isSampled ? 1 : 0}`;

/** What other services have added to the trace; it is passed on unchanged, or not at all. */
export const parseTracestate = (text: string): string | null => (TRACESTATE.test(text) ? text : null);
