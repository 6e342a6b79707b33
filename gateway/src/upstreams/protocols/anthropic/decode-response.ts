// Reads a whole message and checks that it is one, because an upstream that answers 200 may still have failed. The
// content of the blocks is left as it came.

import { endsWell, finishReasonOf } from '../../../canonical/finish-reason.ts';
import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import { holdsText } from '../../../canonical/says-something.ts';
import { statesError } from '../../../canonical/states-error.ts';
import { readExactJsonDocument } from '../../../platform/read-json-object.ts';
import type { DecodedJson } from '../../conversation-codec.ts';
import { failedAnswer, malformedAnswer } from '../../read-answer.ts';
import { readUsage } from './convert-usage.ts';
import { describeError, statusOfError } from './error-envelope.ts';

export function decodeMessage(body: Buffer): DecodedJson {
  // The arguments of a call are part of this JSON, so large integers must stay exact.
  const source = readExactJsonDocument(body);
  if (typeof source === 'string') return malformedAnswer(source);
  const { json } = source;
  const { content, error } = json;
  const isComplete = endsWell(json.stop_reason) && Array.isArray(content) && holdsText(content);
  if (json.type === 'error' || (statesError(error) && !isComplete)) {
    return failedAnswer(describeError(error), statusOfError(error));
  }
  if (!Array.isArray(content)) return malformedAnswer('a message without content');
  if (!content.every(isBlock)) return malformedAnswer('a content block that cannot be used');
  const finishReason = typeof json.stop_reason === 'string' ? finishReasonOf(json.stop_reason) : null;
  return { kind: 'answer', source, usage: readUsage(json.usage), finishReason };
}

function isBlock(value: unknown): boolean {
  return isJsonObject(value) && typeof value.type === 'string' && (value.type !== 'tool_use' || isToolUse(value));
}

/** A client could do nothing with a call that has no name or id. */
export function isToolUse(block: JsonObject): block is JsonObject & { id: string; name: string } {
  const { id, name } = block;
  return typeof id === 'string' && id !== '' && typeof name === 'string' && name !== '';
}
