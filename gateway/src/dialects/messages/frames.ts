// The frames of a Messages stream. Clients of this dialect use the `event:` line, so every frame has one, and
// keep-alive is an event of its own.

import type { ApiError } from '../../errors/api-error.ts';
import { messagesEnvelope } from '../../errors/messages-envelope.ts';

export const PING_FRAME = 'event: ping\ndata: {"type": "ping"}\n\n';

export function eventFrame(type: string, members: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}

/** Plain ASCII, so that it does not matter whether the writer treats text as latin1 or as UTF-8. */
export function errorFrame(error: ApiError): string {
  return eventFrame('error', messagesEnvelope(error)).replace(
    /[^\n\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
