// Pictures as a client reads them: addresses or base64 in JSON, or events. In every form an address is ours.

import { type Content, EVENTS_TYPE, JSON_TYPE } from '../../canonical/answer.ts';
import type { ImagesAnswer, ImagesRequest, ShownImage } from '../../canonical/images.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { Bill } from '../dialect.ts';
import type { RenderContext } from '../stream-pipe.ts';
import { DONE_EVENT, imageEvents, usageEvent } from './image-events.ts';

export function renderImages(
  { shown }: ImagesAnswer,
  { request, createdSeconds, elapsedMs }: RenderContext<ImagesRequest>,
  bill: Bill,
): Content {
  if (request.answerAs === 'events') {
    const body = imageEvents(shown) + usageEvent(bill, elapsedMs?.() ?? 0) + DONE_EVENT;
    return { type: EVENTS_TYPE, body };
  }
  const isBytes = request.answerAs === 'bytes';
  const body = {
    created: createdSeconds,
    data: shown.map(isBytes ? withBytes : ({ url }) => ({ url })),
    usage: isBytes ? conversationUsage(bill) : imageUsage(bill),
  };
  return { type: JSON_TYPE, body: JSON.stringify(body) };
}

function withBytes({ bytes, mediaType }: ShownImage): JsonObject {
  return { b64_json: bytes?.toString('base64') ?? '', media_type: mediaType };
}

function imageUsage({ usage, costUsd }: Bill): JsonObject {
  const { promptTokens, completionTokens } = usage;
  return {
    input_tokens: promptTokens,
    output_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    cost: costUsd,
  };
}

/** Clients that read bytes expect the counts under the names of conversations. */
function conversationUsage({ usage, costUsd }: Bill): JsonObject {
  const { promptTokens, completionTokens } = usage;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    cost: costUsd,
  };
}
