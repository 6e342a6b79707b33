// The part of a response that repeats the request. Some clients refuse an answer without one of these members, so all
// are always there. It is written once per call, as text: agents send long instructions and many tools, and a stream
// repeats them three times.

import { type JsonObject, numberOrNull, objectOrEmpty, textOrNull } from '../../canonical/json.ts';
import { stringifyExactJson } from '../../platform/exact-json.ts';

/** JSON members without their braces. */
export function echoRequest(body: JsonObject): string {
  const reasoning = objectOrEmpty(body.reasoning);
  const echo: JsonObject = {
    background: false,
    frequency_penalty: numberOrNull(body.frequency_penalty),
    instructions: textOrNull(body.instructions),
    max_output_tokens: numberOrNull(body.max_output_tokens),
    max_tool_calls: numberOrNull(body.max_tool_calls),
    metadata: objectOrEmpty(body.metadata),
    parallel_tool_calls: body.parallel_tool_calls !== false,
    presence_penalty: numberOrNull(body.presence_penalty),
    previous_response_id: null,
    prompt_cache_key: textOrNull(body.prompt_cache_key),
    reasoning: { effort: textOrNull(reasoning.effort), summary: textOrNull(reasoning.summary) },
    safety_identifier: textOrNull(body.safety_identifier),
    service_tier: textOrNull(body.service_tier),
    store: false,
    temperature: numberOrNull(body.temperature),
    text: { format: { type: 'text' }, ...objectOrEmpty(body.text) },
    tool_choice: body.tool_choice ?? 'auto',
    tools: Array.isArray(body.tools) ? body.tools : [],
    top_logprobs: numberOrNull(body.top_logprobs),
    top_p: numberOrNull(body.top_p),
    truncation: body.truncation === 'auto' ? 'auto' : 'disabled',
    user: textOrNull(body.user),
  };
  return stringifyExactJson(echo).slice(1, -1);
}
