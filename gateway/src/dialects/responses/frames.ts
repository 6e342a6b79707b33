// The frames of a Responses stream. An event has its name twice, as in the vendor's own API: clients use the `type`
// inside, proxies and logs the line above.

import type { ApiError } from '../../errors/api-error.ts';
import { publicCode } from '../../errors/catalogue.ts';
import type { Failure, ResponseWriter } from './response-object.ts';

/** A comment line, because clients of this dialect fail on a named heartbeat event. */
export const RESPONSES_KEEP_ALIVE_FRAME = ': TOLLGATE PROCESSING\n\n';

/** `members` are JSON members without braces, after the type and the number. */
export function eventFrame(type: string, sequenceNumber: number, members: string): string {
  return `event: ${type}\ndata: {"type":"${type}","sequence_number":${sequenceNumber},${members}}\n\n`;
}

/**
 * The end of a stream that failed. Some clients notice only the `error` event and others only `response.failed`, so
 * both are sent: the event with the gateway's code, the response with the dialect's own.
 */
export function failureFrames(error: ApiError, sequenceNumber: number, write: ResponseWriter): string {
  // Always text: some clients cannot read an error whose code is a number.
  const failure = { code: String(publicCode(error.code)), message: error.message };
  const response = write({ status: 'failed', error: { ...failure, code: dialectCode(error) } }, [], null);
  return (
    eventFrame('error', sequenceNumber, errorMembers(failure, error.type)) +
    eventFrame('response.failed', sequenceNumber + 1, `"response":${response}`)
  );
}

/** Statuses of calls that fail again however often they are repeated. */
const DEAD_END: ReadonlySet<number> = new Set([400, 403, 413]);

/**
 * An agent ends a call, shortens its conversation or asks again by this code alone, and repeats the whole call when it
 * does not know the code. Where no repetition helps it gets one that says so.
 */
function dialectCode({ code, status }: ApiError): string {
  if (code === 'context_too_long') return 'context_length_exceeded';
  if (status === 402) return 'insufficient_quota';
  return DEAD_END.has(status) ? 'invalid_prompt' : String(publicCode(code));
}

/** Clients look for the error's members beside the type or below `error`, so they are in both places. */
export function errorMembers(failure: Failure, type: string): string {
  const flat = JSON.stringify({ ...failure, param: null }).slice(1, -1);
  return `${flat},"error":${JSON.stringify({ type, ...failure, param: null })}`;
}

/** For writers that treat text as latin1: the same JSON in plain ASCII. */
export function escapeNonAscii(json: string): string {
  return json.replace(/[^\n\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
