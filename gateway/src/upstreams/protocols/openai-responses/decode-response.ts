// Reads a whole response and checks that it is one, because an upstream that answers 200 may still have failed. The
// content of the items is left as it came.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import { usesAmong, withStatedExtras, withUnits } from '../../../canonical/usage.ts';
import { readJsonDocument } from '../../../platform/read-json-object.ts';
import type { DecodedJson } from '../../conversation-codec.ts';
import { describeForLog, shortenForLog } from '../../failure.ts';
import { readUsage } from './convert-usage.ts';
import { readFinishReason } from './finish-reason.ts';

export function decodeResponse(body: Buffer): DecodedJson {
  const source = readJsonDocument(body);
  if (typeof source === 'string') return malformed(source);
  const { json } = source;
  if (isJsonObject(json.error) || json.status === 'failed') return failed(json.error);
  if (!Array.isArray(json.output) || !json.output.every(isItem)) return malformed('no usable output');
  const finishReason = readFinishReason(json);
  // Queued or still running: nobody would ask for the rest.
  if (finishReason === null) return malformed('no usable status');
  const usage = withStatedExtras(withUnits(readUsage(json.usage), usesAmong(json.output)), json);
  return { kind: 'answer', source, usage, finishReason };
}

function isItem(item: unknown): item is JsonObject {
  return isJsonObject(item) && typeof item.type === 'string';
}

/** An error with a good status: the next provider may do better. */
function failed(error: unknown): DecodedJson {
  const detail = describeForLog(`200 with an error: ${JSON.stringify(error ?? null)}`);
  const code = isJsonObject(error) ? error.code : null;
  const kind = code === 429 || code === 'rate_limit_exceeded' ? 'rate_limited' : 'unavailable';
  return { kind: 'failure', failure: { kind, retryAfterSeconds: null, detail } };
}

function malformed(reason: string): DecodedJson {
  return { kind: 'failure', failure: { kind: 'malformed', detail: shortenForLog(reason) } };
}
