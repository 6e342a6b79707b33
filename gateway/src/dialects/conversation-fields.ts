// What the three dialects of conversations read alike from a body, and how each lowers the limit of its output.

import type { JsonObject } from '../canonical/json.ts';
import type { ConversationRequest } from '../canonical/request.ts';
import { hostedToolsOf } from './hosted-tools.ts';
import { upstreamPlugins } from './plugins.ts';
import { readTransforms } from './read-transforms.ts';
import { wantsReasoning } from './wants-reasoning.ts';

type SharedField = 'operation' | 'isStream' | 'transforms' | 'plugins' | 'hostedTools' | 'wantsReasoning';

export const sharedFields = (body: JsonObject): Pick<ConversationRequest, SharedField> => ({
  operation: 'chat',
  isStream: body.stream === true,
  transforms: readTransforms(body),
  plugins: upstreamPlugins(body),
  hostedTools: hostedToolsOf(body),
  wantsReasoning: wantsReasoning(body),
});

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
