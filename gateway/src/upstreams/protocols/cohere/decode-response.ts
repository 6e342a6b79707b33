// Reads a whole answer and checks that it is one, because an upstream that answers 200 may still have failed.

import type { Answer } from '../../../canonical/answer.ts';
import { endsWell, finishReasonOf } from '../../../canonical/finish-reason.ts';
import { isJsonObject, type JsonObject, listOrEmpty, objectOrEmpty, textOrNull } from '../../../canonical/json.ts';
import { holdsText } from '../../../canonical/says-something.ts';
import { statedStatus } from '../../../canonical/stated-status.ts';
import { statesError } from '../../../canonical/states-error.ts';
import type { StreamPart } from '../../../canonical/stream-part.ts';
import { readJsonDocument } from '../../../platform/read-json-object.ts';
import { collectParts } from '../../collect-parts.ts';
import type { DecodedJson } from '../../conversation-codec.ts';
import { failedAnswer, malformedAnswer, onlyFailed } from '../../read-answer.ts';
import { readUsage } from './convert-usage.ts';
import { MessageReader } from './read-message.ts';

export function decodeAnswer(body: Buffer): DecodedJson {
  const source = readJsonDocument(body);
  if (typeof source === 'string') return malformedAnswer(source);
  const { json } = source;
  const { error } = json;
  if (statesError(error) && !(endsWell(json.finish_reason) && holdsText(json.message))) {
    return failedAnswer(JSON.stringify(error), statedStatus(error));
  }
  if (!isJsonObject(json.message)) return malformedAnswer('an answer without a message');
  const calls = listOrEmpty(json.message.tool_calls);
  const reader = new MessageReader();
  if (!calls.every((call) => reader.startCall(call, []))) return malformedAnswer('a call that cannot be used');
  const answer = toAnswer(json);
  const failed = onlyFailed(answer);
  if (failed !== null) return failed;
  return { kind: 'answer', source, usage: readUsage(json.usage), finishReason: answer.finishReason };
}

/** Only for an answer that has been decoded. */
export function toAnswer(json: JsonObject): Answer {
  const message = objectOrEmpty(json.message);
  const reader = new MessageReader();
  const parts: StreamPart[] = [];
  reader.plan(message.tool_plan, parts);
  for (const piece of [message.content].flat()) reader.add(piece, parts);
  reader.cite(message.citations, parts);
  for (const call of listOrEmpty(message.tool_calls)) reader.startCall(call, parts);
  reader.close(parts);
  const native = textOrNull(json.finish_reason);
  return {
    parts: collectParts(parts),
    finishReason: native !== null ? finishReasonOf(native) : reader.hasCalls ? 'tool_calls' : 'stop',
    nativeFinishReason: native,
    stopSequence: null,
    usage: readUsage(json.usage),
  };
}
