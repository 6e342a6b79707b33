// A whole answer of an upstream that speaks this dialect: the id, the model and the usage become ours. The content is
// what the upstream sent, signatures to the byte.

import type { SourcedJson } from '../../canonical/answer.ts';
import { type JsonObject, objectOrEmpty } from '../../canonical/json.ts';
import { writeEdited } from '../../platform/json-document.ts';
import type { Bill } from '../dialect.ts';
import type { RenderContext } from '../stream-pipe.ts';
import { renderMessagesUsage } from './render-usage.ts';

export function renderMessagesResponse(
  { json, source }: SourcedJson,
  context: RenderContext,
  bill: Bill,
): string | Buffer {
  const response: JsonObject = {
    ...json,
    id: context.id,
    type: 'message',
    role: 'assistant',
    model: context.modelId,
    // A member that is undefined is left out of the text.
    provider: undefined,
    content: Array.isArray(json.content) ? json.content : [],
    stop_reason: json.stop_reason ?? 'end_turn',
    stop_sequence: json.stop_sequence ?? null,
    usage: renderMessagesUsage(bill.usage, bill.costUsd, objectOrEmpty(json.usage)),
  };
  return writeEdited(source, response);
}
