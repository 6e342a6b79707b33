// The JSON of a whole answer with status 200, or why it is not one: an upstream may answer 200 and have failed.

import type { Answer } from '../canonical/answer.ts';
import { isProvokedEnd } from '../canonical/finish-reason.ts';
import type { JsonObject } from '../canonical/json.ts';
import { holdsText } from '../canonical/says-something.ts';
import { statedStatus } from '../canonical/stated-status.ts';
import { statesError } from '../canonical/states-error.ts';
import type { Usage } from '../canonical/usage.ts';
import { readJsonObject } from '../platform/read-json-object.ts';
import { describeForLog, shortenForLog, unavailable } from './failure.ts';
import type { UpstreamFailure } from './protocol.ts';
import * as refused from './refusals.ts';

type FailedAnswer = Readonly<{ kind: 'failure'; failure: UpstreamFailure }>;

type ReadJson = Readonly<{ kind: 'json'; json: JsonObject }> | FailedAnswer;

/** `hasAll`: what was made is there, and the provider charges for it whatever error it states beside it. */
export function readAnswer(body: Buffer, hasAll: (json: JsonObject) => boolean = () => false): ReadJson {
  const json = readJsonObject(body);
  if (json === null) return malformedAnswer(`not a JSON object, of ${body.length} bytes`);
  const { error } = json;
  return statesError(error) && !hasAll(json)
    ? failedAnswer(JSON.stringify(error), statedStatus(error))
    : { kind: 'json', json };
}

/**
 * An error with a good status: the next provider may do better, unless the error blames the request. `words` are the
 * upstream's, and `status` is what the error itself states.
 */
export function failedAnswer(
  words: string,
  status: number | null,
  isProvoked = false,
  used: Usage | null = null,
): FailedAnswer {
  const detail = describeForLog(`200 with an error: ${words}`);
  return { kind: 'failure', failure: refused.inside(status, words, detail) ?? unavailable(detail, isProvoked, used) };
}

/** For an answer that ended with an error before it said anything: another provider can still answer. Null for others. */
export function onlyFailed({ finishReason, nativeFinishReason, parts, pictures, usage }: Answer): FailedAnswer | null {
  if (finishReason !== 'error' || holdsText(parts) || pictures !== undefined) return null;
  return failedAnswer(nativeFinishReason ?? '-', null, isProvokedEnd(nativeFinishReason), usage);
}

/** `reason` is ours and repeats nothing of the upstream's text. */
export function malformedAnswer(reason: string): FailedAnswer {
  return { kind: 'failure', failure: { kind: 'malformed', detail: shortenForLog(reason) } };
}
