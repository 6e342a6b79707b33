import type { Answer } from '../../../canonical/answer.ts';
import type { JsonObject } from '../../../canonical/json.ts';

export function toAnswer(_json: JsonObject): Answer {
  return { parts: [], finishReason: 'stop', nativeFinishReason: null, stopSequence: null, usage: null };
}
