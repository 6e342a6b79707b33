// The `error` member of the upstream's envelope, the same in a body and in a stream: a status, its name, a message, and
// details that may say how long to wait.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import { readJsonObject } from '../../../platform/read-json-object.ts';

const ERROR_BYTES_MAX = 65_536;
const WAIT_SECONDS_MAX = 86_400;
const DELAY = /^(\d{1,9})(?:\.\d{1,9})?s$/;

/** From a body, which may be a list of one where a stream was asked for. */
export function errorIn(body: Buffer): JsonObject | null {
  const text = body.toString('utf8', 0, ERROR_BYTES_MAX).trim();
  const inner = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  const error = readJsonObject(inner)?.error;
  return isJsonObject(error) ? error : null;
}

export function statusOfError({ code }: JsonObject): number | null {
  return typeof code === 'number' && code >= 400 && code <= 599 ? code : null;
}

/** For logs only. */
export function describeError({ status, message }: JsonObject): string {
  return `${typeof status === 'string' ? status : '-'} ${typeof message === 'string' ? message : '-'}`;
}

/** Null when none is stated. */
export function retryDelayOf(error: JsonObject): number | null {
  for (const detail of detailsOf(error)) {
    const seconds = typeof detail.retryDelay === 'string' ? DELAY.exec(detail.retryDelay)?.[1] : undefined;
    if (seconds !== undefined) return Math.min(Number(seconds), WAIT_SECONDS_MAX);
  }
  return null;
}

/** The machine-readable reason, such as an invalid key. */
export function hasReason(error: JsonObject, reason: string): boolean {
  return detailsOf(error).some((detail) => detail.reason === reason);
}

function detailsOf({ details }: JsonObject): readonly JsonObject[] {
  return Array.isArray(details) ? details.filter(isJsonObject) : [];
}
