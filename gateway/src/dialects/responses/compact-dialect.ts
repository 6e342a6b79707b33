// The dialect of POST /v1/responses/compact: a conversation goes in, and comes back shorter, with a summary that its
// provider has sealed and that only the provider can read. So it is asked of providers of this format alone, and is
// passed through both ways.

import { JSON_TYPE } from '../../canonical/answer.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { ConversationRequest } from '../../canonical/request.ts';
import { type JsonDocument, writeEdited } from '../../platform/json-document.ts';
import type { ConversationDialect } from '../conversation-dialect.ts';
import { keepUsageMembers } from '../keep-usage-members.ts';
import { refuseCompaction, refuseField } from '../refuse.ts';
import { parseResponsesRequest } from './parse-request.ts';
import { renderResponsesUsage } from './render-usage.ts';
import { responseIdOf } from './response-id.ts';
import { responsesDialect } from './responses-dialect.ts';

export const compactDialect: ConversationDialect = {
  ...responsesDialect,
  parse: parseCompaction,
  read: ({ body, source = null }) => parseCompaction(body, source),
  render({ json, source }, context, bill) {
    const shown: JsonObject = {
      ...json,
      id: responseIdOf(context.id),
      // Members that are undefined are left out of the text.
      model: json.model === undefined ? undefined : context.modelId,
      provider: undefined,
      usage: keepUsageMembers(renderResponsesUsage(bill), json.usage),
    };
    return { type: JSON_TYPE, body: writeEdited(source, shown) };
  },
};

function parseCompaction(body: JsonObject, source: JsonDocument | null = null): ConversationRequest {
  if (body.stream === true) throw refuseField('stream', 'must not be true here');
  return asCompaction(parseResponsesRequest(body, source));
}

/** Whatever becomes of the request on its way, it stays one. The provider takes no limit of the output. */
function asCompaction(request: ConversationRequest): ConversationRequest {
  return {
    ...request,
    isCompaction: true,
    withOutputLimit: (outputTokensMax) => asCompaction({ ...request, outputTokensMax }),
    withBody: (body) => asCompaction(request.withBody(body)),
    withTexts: (replace) => asCompaction(request.withTexts(replace)),
    toConversation() {
      throw refuseCompaction('Compaction');
    },
  };
}
