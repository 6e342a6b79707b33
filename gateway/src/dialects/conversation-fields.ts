// What the three dialects of conversations read alike from a body, and how each lowers the limit of its output. The
// fields of a request stand one by one in each dialect: one that is spread out of another object costs every call 15
// KB.

import { isJsonObject, type JsonObject } from '../canonical/json.ts';
import type { ConversationRequest } from '../canonical/request.ts';

/** The request with a limit of the gateway's own; `bodyWith` says it in the dialect's words. */
export function limitOutput(
  request: ConversationRequest,
  tokensMax: number,
  bodyWith: (body: JsonObject, tokensMax: number) => JsonObject,
): ConversationRequest {
  return {
    ...request,
    outputTokensMax: tokensMax,
    isOutputLimitOurs: true,
    withOutputLimit: (lower) => limitOutput(request, lower, bodyWith),
    body: bodyWith(request.body, tokensMax),
    toConversation: () => ({ ...request.toConversation(), outputTokensMax: tokensMax }),
  };
}

// What a body says about thinking before the answer. Vendors spell it in a handful of ways and clients send any of them
// to any model, so all are read wherever they stand; an effort of none is a no.

/** Null when the body says nothing of it. */
export function wantsReasoning(body: JsonObject): boolean | null {
  const { reasoning, reasoning_effort: effort, enable_thinking: isEnabled, thinking, output_config: output } = body;
  if (typeof effort === 'string') return isEffort(effort);
  if (typeof isEnabled === 'boolean') return isEnabled;
  if (isJsonObject(thinking)) return thinking.type !== 'disabled';
  if (isJsonObject(output) && typeof output.effort === 'string') return isEffort(output.effort);
  if (!isJsonObject(reasoning)) return typeof body.thinking_budget === 'number' ? body.thinking_budget > 0 : null;
  if (typeof reasoning.effort === 'string') return isEffort(reasoning.effort);
  return typeof reasoning.enabled === 'boolean' ? reasoning.enabled : true;
}

const isEffort = (effort: string): boolean => effort !== 'none';
