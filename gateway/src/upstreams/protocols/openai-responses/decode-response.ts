// Reads a whole response and checks that it is one, because an upstream that answers 200 may still have failed. One that
// failed with its words and a count of them is an answer, as its stream would have been. The content of the items is left
// as it came.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import { usesIn } from '../../../canonical/response-uses.ts';
import { holdsText } from '../../../canonical/says-something.ts';
import { statedStatus } from '../../../canonical/stated-status.ts';
import { statesError } from '../../../canonical/states-error.ts';
import { withStatedExtras, withUnits } from '../../../canonical/usage.ts';
import { readJsonDocument } from '../../../platform/read-json-object.ts';
import type { DecodedJson } from '../../conversation-codec.ts';
import { failedAnswer, malformedAnswer } from '../../read-answer.ts';
import { readUsage } from './convert-usage.ts';
import { readFinishReason } from './finish-reason.ts';

export function decodeResponse(body: Buffer): DecodedJson {
  const source = readJsonDocument(body);
  if (typeof source === 'string') return malformedAnswer(source);
  const { json } = source;
  const { error, status } = json;
  const isFailed = status === 'failed';
  const hasEnded = status === 'completed' || status === 'incomplete' || (isFailed && isJsonObject(json.usage));
  const isAnswer = hasEnded && holdsText(json.output);
  if ((isFailed || statesError(error)) && !isAnswer) {
    return failedAnswer(JSON.stringify(error ?? null), statedStatus(error));
  }
  if (!Array.isArray(json.output) || !json.output.every(isItem)) return malformedAnswer('no usable output');
  const finishReason = readFinishReason(json);
  // Queued or still running: nobody would ask for the rest.
  if (finishReason === null) return malformedAnswer('no usable status');
  const usage = withStatedExtras(withUnits(readUsage(json.usage), usesIn(json)), json);
  return { kind: 'answer', source, usage, finishReason };
}

function isItem(item: unknown): item is JsonObject {
  return isJsonObject(item) && typeof item.type === 'string';
}
