// Tools and the choice among them. Strict arguments are not asked for: the API would check the schema against a much
// smaller language and refuse schemas that other vendors accept.

import type { Conversation, Tool } from '../../../canonical/conversation.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import { withCacheControl } from './encode-content.ts';

export function encodeTools(tools: readonly Tool[]): readonly JsonObject[] {
  return tools.map(({ name, description, parameters, cacheControl }) =>
    withCacheControl(
      {
        name,
        ...(description !== undefined && description !== '' && { description }),
        // A tool without parameters may have an empty schema, which lacks the required `type`.
        input_schema: { type: 'object', ...parameters },
      },
      cacheControl,
    ),
  );
}

export function encodeToolChoice(conversation: Conversation): JsonObject | undefined {
  const { tools, toolChoice, isParallelToolCalls } = conversation;
  if (tools.length === 0) return undefined;
  if (toolChoice === 'none') return { type: 'none' };
  const parallel = isParallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  if (toolChoice === 'required') return { type: 'any', ...parallel };
  if (typeof toolChoice === 'object') return { type: 'tool', name: toolChoice.name, ...parallel };
  const isSaid = toolChoice === 'auto' || isParallelToolCalls === false;
  return isSaid ? { type: 'auto', ...parallel } : undefined;
}
