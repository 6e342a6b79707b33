// A checked body in the vendor-neutral form. Items become messages: what the model said, thought and called in a row is
// one message, and the outputs of its calls follow directly, wherever they were in the input.

import { allowTools, readAllowedTools } from '../../canonical/allowed-tools.ts';
import type {
  Conversation,
  Message,
  ReasoningSettings,
  ResponseFormat,
  Tool,
  ToolChoice,
} from '../../canonical/conversation.ts';
import {
  booleanOrNothing,
  isFilled,
  isJsonObject,
  type JsonObject,
  numberOrNothing,
  objectOrEmpty,
  textOrNothing,
} from '../../canonical/json.ts';
import { convertItems } from './convert-items.ts';
import { readToolNames, type ToolNames } from './tool-names.ts';

/** Pure, and only for a body that the parser has accepted. */
export function toConversation(body: JsonObject): Conversation {
  const names = readToolNames(body);
  return {
    messages: [...instructionsOf(body), ...convertItems(body.input, names)],
    ...convertTools(body.tool_choice, names),
    isParallelToolCalls: typeof body.parallel_tool_calls === 'boolean' ? body.parallel_tool_calls : undefined,
    responseFormat: convertFormat(isJsonObject(body.text) ? body.text.format : undefined),
    reasoning: convertReasoning(body),
    sampling: {
      temperature: numberOrNothing(body.temperature),
      topP: numberOrNothing(body.top_p),
      topK: numberOrNothing(body.top_k),
      frequencyPenalty: numberOrNothing(body.frequency_penalty),
      presencePenalty: numberOrNothing(body.presence_penalty),
      seed: numberOrNothing(body.seed),
      stop: convertStop(body.stop),
    },
    outputTokensMax: numberOrNothing(body.max_output_tokens),
    endUserId: textOrNothing(body.safety_identifier) ?? textOrNothing(body.user),
  };
}

function instructionsOf(body: JsonObject): readonly Message[] {
  const { instructions } = body;
  if (!isFilled(instructions)) return [];
  return [{ role: 'system', parts: [{ type: 'text', text: instructions }] }];
}

type Offer = Pick<Conversation, 'tools' | 'offeredTools' | 'toolChoice'>;

function convertTools(choice: unknown, names: ToolNames): Offer {
  const tools = [...names.functions].map(([name, { definition }]) => convertTool(name, definition));
  if (tools.length === 0) return { tools };
  const allowed = readAllowedTools(choice);
  if (allowed === null) return { tools, toolChoice: convertChoice(choice, names) };
  return allowTools(tools, allowed.mode, new Set(allowed.tools.map(joinedNames(names))));
}

function convertChoice(choice: unknown, names: ToolNames): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice;
  if (!isJsonObject(choice)) return undefined;
  const chosen = joinedNames(names)(choice);
  // The choice of a tool that is not offered here has no meaning left.
  return choice.type === 'function' || (choice.type === 'custom' && names.isCustom(chosen))
    ? { name: chosen }
    : undefined;
}

/** A choice may name the namespace, or leave it out where only one has the function; of several the first is meant. */
function joinedNames(names: ToolNames): (choice: JsonObject) => string {
  const joinedOf = new Map<unknown, string>();
  for (const [joined, { definition }] of names.functions) {
    if (!joinedOf.has(definition.name)) joinedOf.set(definition.name, joined);
  }
  return (choice) => {
    const name = textOrNothing(choice.name) ?? '';
    const { namespace } = choice;
    return typeof namespace === 'string' ? names.join({ name, namespace }) : (joinedOf.get(name) ?? name);
  };
}

function convertTool(name: string, definition: JsonObject): Tool {
  return {
    name,
    description: textOrNothing(definition.description),
    parameters: isJsonObject(definition.parameters) ? definition.parameters : { type: 'object', properties: {} },
    strict: typeof definition.strict === 'boolean' ? definition.strict : undefined,
  };
}

function convertFormat(format: unknown): ResponseFormat | undefined {
  if (!isJsonObject(format)) return undefined;
  if (format.type === 'json_object') return { type: 'json-object' };
  if (format.type !== 'json_schema' || !isJsonObject(format.schema)) return { type: 'text' };
  return {
    type: 'json-schema',
    name: textOrNothing(format.name) ?? '',
    schema: format.schema,
    strict: typeof format.strict === 'boolean' ? format.strict : undefined,
    description: textOrNothing(format.description),
  };
}

function convertReasoning(body: JsonObject): ReasoningSettings | undefined {
  const reasoning = objectOrEmpty(body.reasoning);
  const asked = textOrNothing(reasoning.effort) ?? textOrNothing(body.reasoning_effort);
  // The word for no thinking is no effort.
  const isOff = asked === 'none';
  const settings: ReasoningSettings = {
    effort: isOff ? undefined : asked,
    tokensMax: numberOrNothing(reasoning.max_tokens),
    isEnabled:
      booleanOrNothing(reasoning.enabled) ?? (isOff ? false : undefined) ?? booleanOrNothing(body.enable_thinking),
  };
  const isSet = Object.values(settings).some((value) => value !== undefined);
  return isSet ? settings : undefined;
}

function convertStop(stop: unknown): readonly string[] | undefined {
  if (typeof stop === 'string') return [stop];
  return Array.isArray(stop) ? stop : undefined;
}
