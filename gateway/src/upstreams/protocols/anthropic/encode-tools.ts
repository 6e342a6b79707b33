// Tools and the choice among them. Strict arguments are not asked for: the API would check the schema against a much
// smaller language and refuse schemas that other vendors accept. A model that refuses to be made to call a tool is told
// in words.

import type { Conversation, Tool, ToolChoice } from '../../../canonical/conversation.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import { objectSchemas } from '../../object-schema.ts';
import { withCacheControl } from './encode-content.ts';
import { type NamedModel, takesForcedTools } from './model-version.ts';

export function encodeTools(tools: readonly Tool[]): readonly JsonObject[] {
  const asObject = objectSchemas();
  return tools.map(({ name, description, parameters, cacheControl }) =>
    withCacheControl(
      {
        name,
        ...(description !== undefined && description !== '' && { description }),
        input_schema: asObject(parameters),
      },
      cacheControl,
    ),
  );
}

/** What is said in place of a choice that the model refuses; null where nothing has to be. */
export function forcingWords({ tools, toolChoice }: Conversation, candidate: NamedModel): string | null {
  return tools.length === 0 || takesForcedTools(candidate) ? null : wordsOfChoice(toolChoice);
}

/** Null where the choice forces nothing. */
export function wordsOfChoice(toolChoice: ToolChoice | undefined): string | null {
  if (toolChoice === 'required') return 'In your next answer you must call at least one of the tools.';
  return typeof toolChoice === 'object' ? `In your next answer you must call the tool ${toolChoice.name}.` : null;
}

export function encodeToolChoice(conversation: Conversation, candidate: NamedModel): JsonObject | undefined {
  const { tools, isParallelToolCalls } = conversation;
  if (tools.length === 0) return undefined;
  const toolChoice = forcingWords(conversation, candidate) === null ? conversation.toolChoice : 'auto';
  if (toolChoice === 'none') return { type: 'none' };
  const parallel = isParallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  if (toolChoice === 'required') return { type: 'any', ...parallel };
  if (typeof toolChoice === 'object') return { type: 'tool', name: toolChoice.name, ...parallel };
  const isSaid = toolChoice === 'auto' || isParallelToolCalls === false;
  return isSaid ? { type: 'auto', ...parallel } : undefined;
}
