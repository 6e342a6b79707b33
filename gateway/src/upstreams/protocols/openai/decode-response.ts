// Reads a whole answer and makes sure that it is one, since an upstream that answers 200 may still have failed. What is
// inside the choices is left as it came.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import { quotesSources, withSearchTrace } from '../../../canonical/search-traces.ts';
import type { DecodedJson } from '../../conversation-codec.ts';
import { describeForLog } from '../../failure.ts';
import type { UpstreamFailure } from '../../protocol.ts';
import { readUsage } from './convert-usage.ts';
import { exceedsDepth } from './json-depth.ts';

const DEPTH_MAX = 128;

export function decodeChatResponse(body: Buffer): DecodedJson {
  if (exceedsDepth(body, DEPTH_MAX)) return malformed(`nested deeper than ${DEPTH_MAX} levels`);
  const text = body.toString('utf8');
  const json = parseJson(text);
  if (!isJsonObject(json)) return malformed(`not a JSON object: ${text.slice(0, 200)}`);
  if (json.error !== undefined && json.error !== null) return failed(json.error);
  const { choices } = json;
  if (!Array.isArray(choices) || choices.length === 0) return malformed('no choices');
  if (!choices.every((choice) => isJsonObject(choice) && isJsonObject(choice.message))) {
    return malformed('a choice without a message');
  }
  const [first] = choices as [JsonObject];
  const finishReason = typeof first.finish_reason === 'string' ? first.finish_reason : null;
  const isTraced = choices.some((choice) => quotesSources((choice as JsonObject).message as JsonObject));
  return { kind: 'answer', json, usage: withSearchTrace(readUsage(json.usage), isTraced), finishReason };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** An error under a good status: whatever it says, the next provider may do better. */
function failed(error: unknown): DecodedJson {
  const detail = describeForLog(`200 with an error: ${JSON.stringify(error)}`);
  const isRateLimit = isJsonObject(error) && error.code === 429;
  const kind = isRateLimit ? 'rate_limited' : 'unavailable';
  return { kind: 'failure', failure: { kind, retryAfterSeconds: null, detail } };
}

function malformed(reason: string): DecodedJson {
  const failure: UpstreamFailure = { kind: 'malformed', detail: describeForLog(reason) };
  return { kind: 'failure', failure };
}
