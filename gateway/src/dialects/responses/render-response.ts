// A whole answer as the caller sees it: from the vendor-neutral form with everything that clients of this dialect
// expect, or from a provider of the same format with the id, the model and the usage replaced, and completed.

import type { Answer, AnswerPart, SourcedJson } from '../../canonical/answer.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { writeEdited } from '../../platform/json-document.ts';
import type { Bill } from '../dialect.ts';
import { keepUsageMembers } from '../keep-usage-members.ts';
import type { RenderContext } from '../stream-pipe.ts';
import { completeItems } from './complete-items.ts';
import {
  customCallItem,
  functionCallItem,
  type ItemStatus,
  messageItem,
  NO_ARGUMENTS,
  pictureItem,
  reasoningItem,
} from './output-items.ts';
import { renderResponsesUsage } from './render-usage.ts';
import { itemIdOf, responseIdOf } from './response-id.ts';
import { completionSeconds, createResponseWriter, MODEL_FAILURE, outcomeOf } from './response-object.ts';
import { calledName, readToolNames } from './tool-names.ts';

export function renderResponsesAnswer(answer: Answer, context: RenderContext, bill: Bill): string {
  const outcome = outcomeOf(answer.finishReason);
  const names = readToolNames(context.request.body);
  const isCut = outcome.status === 'incomplete';
  const { logprobs, parts } = answer;
  // They belong to the text as a whole, which has no other place here.
  const lastText = answer.parts.findLast(({ type }) => type === 'text');
  const toItem = (part: AnswerPart, index: number): JsonObject => {
    // Only the last item can have been cut short.
    const status: ItemStatus = isCut && index === parts.length - 1 ? 'incomplete' : 'completed';
    switch (part.type) {
      case 'text':
        return messageItem(
          itemIdOf('msg', context.id, index),
          status,
          part === lastText ? { ...part, logprobs } : part,
        );
      case 'tool-call': {
        const argumentsText = part.argumentsText === '' ? NO_ARGUMENTS : part.argumentsText;
        const called = calledName(part, names);
        const call = { callId: part.id, called, argumentsText, own: part.own };
        return part.plainInput !== undefined || (part.namespace === undefined && names.isCustom(part.name))
          ? customCallItem(itemIdOf('ctc', context.id, index), status, call)
          : functionCallItem(itemIdOf('fc', context.id, index), status, call);
      }
      case 'reasoning':
        return reasoningItem(part.itemId ?? itemIdOf('rs', context.id, index), part, context.request.hidesReasoning);
      case 'block':
        return part.block;
    }
  };
  const pictures = (answer.shown ?? []).flatMap(({ bytes }, index) => {
    const id = itemIdOf('ig', context.id, parts.length + index);
    return bytes === null ? [] : [pictureItem(id, 'completed', bytes)];
  });
  const items = [...parts.map(toItem), ...pictures];
  return createResponseWriter(context)(outcome, items, renderResponsesUsage(bill));
}

export function renderSameResponse(answer: SourcedJson, context: RenderContext, bill: Bill): string | Buffer {
  const response = adoptResponse(answer.json, context);
  return writeEdited(answer.source, {
    ...response,
    usage: keepUsageMembers(renderResponsesUsage(bill), answer.json.usage),
  });
}

/** Members that some clients need and a provider may not repeat from the request. */
export const REPEATED: JsonObject = {
  frequency_penalty: null,
  instructions: null,
  metadata: {},
  parallel_tool_calls: true,
  presence_penalty: null,
  temperature: null,
  tool_choice: 'auto',
  tools: [],
  top_p: null,
};

/** A provider's response with our members, except the usage. Members that it left out and clients need are added. */
export function adoptResponse(json: JsonObject, context: RenderContext): JsonObject {
  const isComplete = json.status === 'completed';
  const completedAt = isComplete ? completionSeconds(context.createdSeconds) : null;
  return {
    ...REPEATED,
    ...json,
    id: responseIdOf(context.id),
    object: 'response',
    created_at: typeof json.created_at === 'number' ? json.created_at : context.createdSeconds,
    completed_at: typeof json.completed_at === 'number' ? json.completed_at : completedAt,
    // What the provider says of it is not for the caller.
    error: json.status === 'failed' ? MODEL_FAILURE : null,
    incomplete_details: json.incomplete_details ?? null,
    model: context.modelId,
    // A member that is undefined is left out of the text.
    provider: undefined,
    output: Array.isArray(json.output) ? completeItems(json.output, context.id) : [],
  };
}
