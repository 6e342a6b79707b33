// Event streams towards the client. The head is sent with the first write, so that a stream that fails before that can
// still become an ordinary error answer.

import { EVENTS_TYPE } from '../canonical/answer.ts';
import type { Exchange } from './exchange.ts';
import type { HeaderList } from './respond.ts';

const EVENT_STREAM_HEADERS: HeaderList = [
  'Content-Type',
  EVENTS_TYPE,
  // Reverse proxies that buffer would hold the tokens back.
  'X-Accel-Buffering',
  'no',
];

const NOT_CACHED: HeaderList = ['Cache-Control', 'no-cache'];

export function startEventStream(exchange: Exchange, headers: HeaderList = []): void {
  const caching = exchange.route.access === 'public' ? NOT_CACHED : [];
  exchange.response.startFramed(200, exchange.headers.concat(EVENT_STREAM_HEADERS, caching, headers));
}

/** Writes all events and the end; the stream may have begun already. */
export function sendEvents(exchange: Exchange, events: string | Uint8Array): void {
  if (!exchange.response.headersSent) startEventStream(exchange);
  exchange.response.end(events);
}
