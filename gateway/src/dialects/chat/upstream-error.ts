// Errors within a stream of chat completions: in a frame of their own, or as the reason why a choice has finished.

import { finishReasonOf, finishWordOf, isProvokedEnd } from '../../canonical/finish-reason.ts';
import { isSet, type JsonObject } from '../../canonical/json.ts';
import { statedStatus } from '../../canonical/stated-status.ts';
import { statedError, statesError } from '../../canonical/states-error.ts';
import type { StreamFault } from '../../canonical/stream-part.ts';

const DETAIL_LENGTH_MAX = 500;

export function describeUpstreamError(error: unknown): StreamFault {
  const detail = JSON.stringify(error ?? null).slice(0, DETAIL_LENGTH_MAX);
  return { kind: 'upstream-error', detail, status: statedStatus(error) };
}

/** Of a choice that has finished with an error; the upstream's own word for it is kept beside. */
export function describeErrorEnd({ error, native_finish_reason: word }: JsonObject): StreamFault {
  const fault = describeUpstreamError(error);
  return isProvokedEnd(word) ? { ...fault, isProvoked: true } : fault;
}

export const hasEnded = ({ finish_reason: word }: JsonObject): boolean => finishWordOf(word) !== null;

/**
 * Takes out what a frame states beside its choices, which is not for clients: it is wrong with those that have ended
 * with an error. Undefined where nothing is stated.
 */
export function takeError(json: JsonObject, choices: readonly JsonObject[]): unknown {
  const error = statedError(json);
  if (isSet(json.error)) delete json.error;
  if (error === undefined) return undefined;
  for (const choice of choices) {
    const word = finishWordOf(choice.finish_reason);
    if (word !== null && finishReasonOf(word) === 'error' && !statesError(choice.error)) choice.error = error;
  }
  return error;
}
