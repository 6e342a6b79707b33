// The JSON of a whole answer with status 200, or why it is not one: an upstream may answer 200 and have failed.

import { isJsonObject, type JsonObject } from '../canonical/json.ts';
import { readJsonObject } from '../platform/read-json-object.ts';
import { describeForLog, shortenForLog } from './failure.ts';
import type { UpstreamFailure } from './protocol.ts';

type FailedAnswer = Readonly<{ kind: 'failure'; failure: UpstreamFailure }>;

export function readAnswer(body: Buffer): Readonly<{ kind: 'json'; json: JsonObject }> | FailedAnswer {
  const json = readJsonObject(body);
  if (json === null) return malformedAnswer(`not a JSON object, of ${body.length} bytes`);
  const { error } = json;
  if (error === undefined || error === null) return { kind: 'json', json };
  return failedAnswer(JSON.stringify(error), isJsonObject(error) && error.code === 429);
}

/** An error with a good status: the next provider may do better. `words` are the upstream's. */
export function failedAnswer(words: string, isRateLimited: boolean): FailedAnswer {
  const detail = describeForLog(`200 with an error: ${words}`);
  const kind = isRateLimited ? 'rate_limited' : 'unavailable';
  return { kind: 'failure', failure: { kind, retryAfterSeconds: null, detail } };
}

/** `reason` is ours and repeats nothing of the upstream's text. */
export function malformedAnswer(reason: string): FailedAnswer {
  return { kind: 'failure', failure: { kind: 'malformed', detail: shortenForLog(reason) } };
}
