// A Messages body in the vendor-neutral form. Tool results are in user messages here and messages of their own there,
// so one message may become several, in the same order. Only for a checked body.

import type {
  AssistantPart,
  ContentPart,
  Conversation,
  ImagePart,
  Message,
  ReasoningSettings,
  ResponseFormat,
  Sampling,
  TextPart,
  ToolResultPart,
} from '../../canonical/conversation.ts';
import { isJsonObject, isSet, type JsonObject, numberOrNothing } from '../../canonical/json.ts';
import { refuseCompaction } from '../refuse.ts';
import { convertAssistantBlock, convertContentBlock, convertToolResult } from './convert-blocks.ts';
import { convertToolChoice, convertTools, isParallelAllowed } from './convert-tools.ts';
import { summaryIn } from './drop-compacted.ts';
import { responseFormatOf } from './parse-fields.ts';

/** The vendor-neutral form needs a name for a schema, and this dialect has none. */
const SCHEMA_NAME = 'response';

export function toConversation(body: JsonObject): Conversation {
  if (isSet(body.compaction)) throw refuseCompaction('compaction');
  const tools = convertTools(body.tools);
  const { metadata } = body;
  return {
    messages: [...convertSystem(body.system), ...(body.messages as readonly JsonObject[]).flatMap(convertMessage)],
    tools,
    toolChoice: convertToolChoice(body.tool_choice, tools),
    isParallelToolCalls: isParallelAllowed(body.tool_choice),
    responseFormat: convertResponseFormat(body),
    reasoning: convertReasoning(body),
    sampling: convertSampling(body),
    outputTokensMax: numberOrNothing(body.max_tokens),
    endUserId: isJsonObject(metadata) && typeof metadata.user_id === 'string' ? metadata.user_id : undefined,
  };
}

function convertSystem(system: unknown): readonly Message[] {
  const parts = textParts(system);
  return parts.length === 0 ? [] : [{ role: 'system', parts }];
}

function convertMessage(message: JsonObject): readonly Message[] {
  switch (message.role) {
    case 'system':
      return convertSystem(message.content);
    case 'assistant':
      return convertAssistant(message.content);
    default:
      return convertUser(message.content);
  }
}

function convertAssistant(content: unknown): readonly Message[] {
  const blocks = blocksOf(content);
  // No other format has a place for it, and a model does not take its own words for what it was told.
  const summaries = blocks.flatMap((block): readonly TextPart[] => {
    const text = summaryIn(block);
    return text === null ? [] : [{ type: 'text', text }];
  });
  const summary: readonly Message[] = summaries.length === 0 ? [] : [{ role: 'user', parts: summaries }];
  const parts = blocks.flatMap((block): readonly AssistantPart[] => convertAssistantBlock(block));
  const pictures = blocks
    .flatMap((block) => (block.type === 'image' ? convertContentBlock(block) : []))
    .filter(isImage);
  if (parts.length === 0 && pictures.length === 0) return summary;
  return [...summary, { role: 'assistant', parts, ...(pictures.length === 0 ? {} : { pictures }) }];
}

const isImage = (part: ContentPart): part is ImagePart => part.type === 'image';

function convertUser(content: unknown): readonly Message[] {
  const messages: Message[] = [];
  let results: ToolResultPart[] = [];
  let parts: ContentPart[] = [];
  const closeResults = (): void => {
    if (results.length > 0) messages.push({ role: 'tool', parts: results });
    results = [];
  };
  const closeParts = (): void => {
    if (parts.length > 0) messages.push({ role: 'user', parts });
    parts = [];
  };
  for (const block of blocksOf(content)) {
    if (block.type === 'tool_result') {
      closeParts();
      results.push(convertToolResult(block));
      continue;
    }
    const converted = convertContentBlock(block);
    if (converted.length === 0) continue;
    closeResults();
    parts.push(...converted);
  }
  closeResults();
  closeParts();
  return messages;
}

function textParts(content: unknown): readonly TextPart[] {
  return blocksOf(content)
    .flatMap(convertContentBlock)
    .filter((part): part is TextPart => part.type === 'text');
}

function blocksOf(content: unknown): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

function convertResponseFormat(body: JsonObject): ResponseFormat | undefined {
  const format = responseFormatOf(body);
  if (format?.type !== 'json_schema' || !isJsonObject(format.schema)) return undefined;
  const name = typeof format.name === 'string' ? format.name : SCHEMA_NAME;
  return { type: 'json-schema', name, schema: format.schema };
}

function convertReasoning(body: JsonObject): ReasoningSettings | undefined {
  const { thinking, output_config: config } = body;
  const effort = isJsonObject(config) && typeof config.effort === 'string' ? config.effort : undefined;
  if (!isJsonObject(thinking)) return effort === undefined ? undefined : { effort };
  return { effort, tokensMax: numberOrNothing(thinking.budget_tokens), isEnabled: thinking.type !== 'disabled' };
}

function convertSampling(body: JsonObject): Sampling {
  const { stop_sequences: stop } = body;
  return {
    temperature: numberOrNothing(body.temperature),
    topP: numberOrNothing(body.top_p),
    topK: numberOrNothing(body.top_k),
    stop: Array.isArray(stop) && stop.length > 0 ? (stop as readonly string[]) : undefined,
  };
}
