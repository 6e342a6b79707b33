// The optional parameters that a body uses, under the names in catalogs. What every model takes (the prompt, an output
// limit, streaming) is not among them, and tools and formats are read where they are checked.

import type { JsonObject } from '../canonical/json.ts';

const parameterOf: ReadonlyMap<string, string> = new Map([
  ['temperature', 'temperature'],
  ['top_p', 'top_p'],
  ['top_k', 'top_k'],
  ['min_p', 'min_p'],
  ['top_a', 'top_a'],
  ['frequency_penalty', 'frequency_penalty'],
  ['presence_penalty', 'presence_penalty'],
  ['repetition_penalty', 'repetition_penalty'],
  ['seed', 'seed'],
  ['stop', 'stop'],
  ['stop_sequences', 'stop'],
  ['logit_bias', 'logit_bias'],
  ['logprobs', 'logprobs'],
  ['top_logprobs', 'logprobs'],
  ['structured_outputs', 'structured_outputs'],
  ['reasoning', 'reasoning'],
  ['reasoning_effort', 'reasoning'],
  ['include_reasoning', 'reasoning'],
  ['thinking', 'reasoning'],
  ['enable_thinking', 'reasoning'],
  ['web_search_options', 'web_search_options'],
]);

/** A parameter that is null or false is not used. */
export function usedParameters(body: JsonObject): readonly string[] {
  const used = new Set<string>();
  for (const key in body) {
    const parameter = parameterOf.get(key);
    const value = body[key];
    if (parameter !== undefined && value !== null && value !== undefined && value !== false) used.add(parameter);
  }
  return [...used];
}
