// Reads a whole answer and makes sure that it is one, since an upstream that answers 200 may still have failed. What is
// inside the choices is left as it came.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import { quotesSources, withSearchTrace } from '../../../canonical/search-traces.ts';
import type { DecodedJson } from '../../conversation-codec.ts';
import { describeForLog } from '../../failure.ts';
import type { UpstreamFailure } from '../../protocol.ts';
import { readJsonDocument } from '../../read-json-object.ts';
import { readUsage } from './convert-usage.ts';

export function decodeChatResponse(body: Buffer): DecodedJson {
  const source = readJsonDocument(body);
  if (typeof source === 'string') return malformed(source);
  const { json } = source;
  if (json.error !== undefined && json.error !== null) return failed(json.error);
  const { choices } = json;
  if (!Array.isArray(choices) || choices.length === 0) return malformed('no choices');
  if (!choices.every((choice) => isJsonObject(choice) && isJsonObject(choice.message))) {
    return malformed('a choice without a message');
  }
  const [first] = choices as [JsonObject];
  const finishReason = typeof first.finish_reason === 'string' ? first.finish_reason : null;
  const isTraced = choices.some((choice) => quotesSources((choice as JsonObject).message as JsonObject));
  return { kind: 'answer', source, usage: withSearchTrace(readUsage(json.usage), isTraced), finishReason };
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
