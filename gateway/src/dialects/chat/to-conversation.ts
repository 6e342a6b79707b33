// A chat body in the vendor-neutral form, for a protocol of another format. The parser has checked the body; fields
// without a counterpart are left out.

import { allowTools, readAllowedTools } from '../../canonical/allowed-tools.ts';
import type {
  Conversation,
  Message,
  ReasoningSettings,
  ResponseFormat,
  Sampling,
  Tool,
  ToolChoice,
} from '../../canonical/conversation.ts';
import { describeCustomTool, readCustomTool } from '../../canonical/custom-tools.ts';
import {
  booleanOrNothing,
  isFilled,
  isJsonObject,
  type JsonObject,
  numberOrNothing,
  objectOrEmpty,
  textOrNothing,
} from '../../canonical/json.ts';
import { readAudio, readMarker } from './read-content.ts';
import { readMessages } from './read-messages.ts';

export function toConversation(body: JsonObject): Conversation {
  const { parallel_tool_calls: isParallelToolCalls, user } = body;
  return {
    messages: [...readMessages(body.messages), ...readSpokenInput(body.input_audio)],
    ...readOffer(body),
    isParallelToolCalls: typeof isParallelToolCalls === 'boolean' ? isParallelToolCalls : undefined,
    responseFormat: readResponseFormat(body.response_format),
    reasoning: readReasoningSettings(body),
    sampling: readSampling(body),
    outputTokensMax: numberOrNothing(body.max_completion_tokens) ?? numberOrNothing(body.max_tokens),
    endUserId: typeof user === 'string' ? user : undefined,
  };
}

/** The request's own `input_audio` is the user's last message. */
function readSpokenInput(audio: unknown): Message[] {
  const part = readAudio(audio);
  return part === null ? [] : [{ role: 'user', parts: [part] }];
}

type Offer = Pick<Conversation, 'tools' | 'offeredTools' | 'toolChoice'>;

function readOffer({ tools: definitions, tool_choice: choice }: JsonObject): Offer {
  const tools = readTools(definitions);
  const allowed = readAllowedTools(choice);
  if (allowed === null) return { tools, toolChoice: readToolChoice(choice) };
  return allowTools(tools, allowed.mode, new Set(allowed.tools.map(nameIn)));
}

function readTools(tools: unknown): Tool[] {
  const read: Tool[] = [];
  for (const tool of Array.isArray(tools) ? tools : []) {
    if (isJsonObject(tool) && tool.type === 'custom' && isJsonObject(tool.custom)) {
      const custom = readCustomTool(tool.custom);
      read.push({ name: String(tool.custom.name), ...describeCustomTool(custom), custom, ...readMarker(tool) });
      continue;
    }
    const definition: unknown = isJsonObject(tool) ? tool.function : undefined;
    if (!isJsonObject(definition) || typeof definition.name !== 'string') continue;
    const { name, description, parameters, strict } = definition;
    read.push({
      name,
      ...(typeof description === 'string' ? { description } : {}),
      // When it is left out, the function has no parameters.
      parameters: isJsonObject(parameters) ? parameters : { type: 'object', properties: {} },
      ...(typeof strict === 'boolean' ? { strict } : {}),
      ...readMarker(definition),
      ...readMarker(tool),
    });
  }
  return read;
}

function readToolChoice(choice: unknown): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice;
  const name = isJsonObject(choice) ? nameIn(choice) : undefined;
  return name === undefined ? undefined : { name };
}

/** The tool that a choice, or an item of its list, names. */
function nameIn(choice: JsonObject): string | undefined {
  const target = choice[choice.type === 'custom' ? 'custom' : 'function'];
  return isJsonObject(target) ? textOrNothing(target.name) : undefined;
}

function readResponseFormat(format: unknown): ResponseFormat | undefined {
  if (!isJsonObject(format)) return undefined;
  if (format.type === 'text') return { type: 'text' };
  if (format.type === 'json_object') return { type: 'json-object' };
  const definition = format.json_schema;
  if (!isJsonObject(definition)) return undefined;
  const { name, schema, strict, description } = definition;
  if (typeof name !== 'string' || !isJsonObject(schema)) return undefined;
  return {
    type: 'json-schema',
    name,
    schema,
    ...(typeof strict === 'boolean' ? { strict } : {}),
    ...(typeof description === 'string' ? { description } : {}),
  };
}

/** Four ways to ask for the same; the newest is used where they contradict each other. */
function readReasoningSettings(body: JsonObject): ReasoningSettings | undefined {
  const reasoning = objectOrEmpty(body.reasoning);
  const thinking = objectOrEmpty(body.thinking);
  const asked = readWord(reasoning.effort) ?? readWord(body.reasoning_effort);
  const tokensMax = numberOrNothing(reasoning.max_tokens) ?? numberOrNothing(thinking.budget_tokens);
  const isEnabled =
    booleanOrNothing(reasoning.enabled) ??
    (asked === 'none' ? false : undefined) ??
    readThinkingType(thinking.type) ??
    booleanOrNothing(body.enable_thinking);
  const effort = asked === 'none' ? undefined : asked;
  if (effort === undefined && tokensMax === undefined && isEnabled === undefined) return undefined;
  return { effort, tokensMax, isEnabled };
}

/** `enabled`, `adaptive` and similar words all mean that the model should think. */
function readThinkingType(type: unknown): boolean | undefined {
  return typeof type === 'string' ? type !== 'disabled' : undefined;
}

function readSampling(body: JsonObject): Sampling {
  const { stop } = body;
  const stops = typeof stop === 'string' ? [stop] : Array.isArray(stop) ? stop.filter(isFilled) : [];
  const topK = numberOrNothing(body.top_k);
  return {
    temperature: numberOrNothing(body.temperature),
    topP: numberOrNothing(body.top_p),
    // Zero switches it off, which other formats express by leaving it out.
    topK: topK === 0 ? undefined : topK,
    frequencyPenalty: numberOrNothing(body.frequency_penalty),
    presencePenalty: numberOrNothing(body.presence_penalty),
    // A seed that a number cannot hold is left out, because seeds are best effort.
    seed: numberOrNothing(body.seed),
    stop: stops.length > 0 ? stops : undefined,
  };
}

function readWord(value: unknown): string | undefined {
  return isFilled(value) ? value : undefined;
}
