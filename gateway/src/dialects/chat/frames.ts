// The frames of a chat stream that the gateway itself writes. Those of its own words are plain ASCII, so it does not
// matter whether the writer treats text as latin1 or as UTF-8.

import type { JsonObject } from '../../canonical/json.ts';
import type { ApiError } from '../../errors/api-error.ts';
import { encodeLatin1 } from '../sent-event.ts';

export const CHAT_DONE_FRAME = 'data: [DONE]\n\n';

/** A comment line, because clients of this dialect fail on a named heartbeat event. */
export const CHAT_KEEP_ALIVE_FRAME = ': TOLLGATE PROCESSING\n\n';

/** For writers that treat text as latin1. */
export function chunkFrame(json: JsonObject): string {
  return `data: ${encodeLatin1(JSON.stringify(json))}\n\n`;
}

/** Without `choices`, so that no client takes it for an ordinary chunk; the done frame follows it. */
export function chatErrorFrame(error: ApiError): string {
  return `data: ${escapeNonAscii(JSON.stringify(error.envelope()))}\n\n`;
}

export function escapeNonAscii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
