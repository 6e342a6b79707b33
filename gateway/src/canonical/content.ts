// A whole answer, ready to be sent: its media type and its bytes.

/** The media type of a stream of events, also of one that is sent at once. */
export const EVENTS_TYPE = 'text/event-stream; charset=utf-8';

export type Content = Readonly<{ type: string; body: string | Uint8Array }>;
