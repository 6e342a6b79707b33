// Reads a whole Converse answer and checks that it is one, because an upstream that answers 200 may still have failed.

import type { Answer } from '../../../canonical/answer.ts';
import { endsWell, finishReasonOf } from '../../../canonical/finish-reason.ts';
import { isJsonObject, type JsonObject, textOrNull } from '../../../canonical/json.ts';
import { holdsText } from '../../../canonical/says-something.ts';
import { statesError } from '../../../canonical/states-error.ts';
import type { StreamPart } from '../../../canonical/stream-part.ts';
import { stringifyExactJson } from '../../../platform/exact-json.ts';
import { readExactJsonDocument } from '../../../platform/read-json-object.ts';
import { collectParts } from '../../collect-parts.ts';
import type { DecodedJson } from '../../conversation-codec.ts';
import { failedAnswer, malformedAnswer, onlyFailed } from '../../read-answer.ts';
import { ContentReader } from './content-reader.ts';
import { readUsage } from './convert-usage.ts';

export function decodeAnswer(body: Buffer): DecodedJson {
  // The arguments of a call are part of this JSON, so large integers must stay exact.
  const source = readExactJsonDocument(body);
  if (typeof source === 'string') return malformedAnswer(source);
  const content = contentOf(source.json);
  const { error } = source.json;
  if (statesError(error) && !(endsWell(source.json.stopReason) && holdsText(content))) {
    return failedAnswer(stringifyExactJson(error), null);
  }
  if (content === null) return malformedAnswer('an answer without content');
  const reader = new ContentReader();
  if (!content.every((block) => reader.whole(block, []))) return malformedAnswer('a content block that cannot be used');
  const answer = toAnswer(source.json);
  const failed = onlyFailed(answer);
  if (failed !== null) return failed;
  return {
    kind: 'answer',
    source,
    usage: readUsage(source.json.usage),
    finishReason: answer.finishReason,
  };
}

/** Only for an answer that has been decoded. */
export function toAnswer(json: JsonObject): Answer {
  const reader = new ContentReader();
  const parts: StreamPart[] = [];
  for (const block of contentOf(json) ?? []) reader.whole(block, parts);
  const native = textOrNull(json.stopReason);
  return {
    parts: collectParts(parts),
    finishReason: native !== null ? finishReasonOf(native) : reader.hasCalls ? 'tool_calls' : 'stop',
    nativeFinishReason: native,
    stopSequence: null,
    usage: readUsage(json.usage),
  };
}

function contentOf({ output }: JsonObject): readonly unknown[] | null {
  const message = isJsonObject(output) ? output.message : undefined;
  return isJsonObject(message) && Array.isArray(message.content) ? message.content : null;
}
