// A whole chat answer in the vendor-neutral form. Only its first choice can be shown in another format.

import type { Answer } from '../../../canonical/answer.ts';
import { finishReasonOf } from '../../../canonical/finish-reason.ts';
import type { MadeImage } from '../../../canonical/images.ts';
import { isJsonObject, type JsonObject, listOrEmpty, objectOrEmpty, textOrEmpty } from '../../../canonical/json.ts';
import type { StreamPart } from '../../../canonical/stream-part.ts';
import { collectParts } from '../../collect-parts.ts';
import { readUsage } from './convert-usage.ts';
import { DeltaReader, readPictures } from './delta-reader.ts';
import { readSourceLists } from './read-annotations.ts';
import { readLogprobs } from './read-logprobs.ts';

export function toAnswer(json: JsonObject): Answer {
  const first: unknown = Array.isArray(json.choices) ? json.choices[0] : undefined;
  const choice = objectOrEmpty(first);
  const message = objectOrEmpty(choice.message);
  const reader = new DeltaReader();
  const parts: StreamPart[] = [];
  reader.read(withPositions(message), parts);
  for (const citation of readSourceLists(json)) parts.push({ type: 'citation', citation });
  reader.end(json.id, parts);
  const word = textOrEmpty(choice.finish_reason);
  const native = typeof choice.native_finish_reason === 'string' ? choice.native_finish_reason : word;
  const logprobs = readLogprobs(choice.logprobs);
  return {
    parts: collectParts(parts),
    finishReason: finishReasonOf(word, reader.hasToolCalls),
    nativeFinishReason: native === '' ? null : native,
    stopSequence: null,
    usage: readUsage(json.usage),
    ...(logprobs.length === 0 ? {} : { logprobs }),
    ...picturesIn(json.choices),
  };
}

/** From all choices, because each may have some. */
function picturesIn(choices: unknown): Readonly<{ pictures?: readonly MadeImage[] }> {
  const pictures = listOrEmpty(choices).flatMap((choice) => {
    const message = isJsonObject(choice) ? choice.message : undefined;
    return isJsonObject(message) ? readPictures(message) : [];
  });
  return pictures.length === 0 ? {} : { pictures };
}

/** In a whole message the position in the list tells the calls apart, whatever their ids and indexes are. */
function withPositions(message: JsonObject): JsonObject {
  const { tool_calls: calls } = message;
  if (!Array.isArray(calls)) return message;
  return { ...message, tool_calls: calls.map((call, index) => (isJsonObject(call) ? { ...call, index } : call)) };
}
