// Reads a chat completion request. It accepts every form of message that real clients send: parts or plain text, empty
// content beside tool calls, tool results as parts.

import { anyObjectSchema } from '../../content/schema-value.ts';
import { countTokens } from '../../content/text.ts';
import type { Tool, Turn } from '../../content/turn.ts';
import { isObject, type JsonObject, numberAt, objectAt, objectsIn, stringAt } from '../../json.ts';

const TOKENS_PER_MESSAGE = 3;
const TOKENS_PER_MEDIA_PART = 85;

export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .map((part) => stringAt(part, 'text') ?? '')
    .join('');
}

function messageTokens(message: JsonObject): number {
  const mediaParts = objectsIn(message.content).filter((part) => part.type !== 'text').length;
  const calls = message.tool_calls === undefined ? '' : JSON.stringify(message.tool_calls);
  return TOKENS_PER_MESSAGE + countTokens(textOf(message.content) + calls) + mediaParts * TOKENS_PER_MEDIA_PART;
}

function readTools(body: JsonObject): readonly Tool[] {
  return objectsIn(body.tools).flatMap((tool) => {
    const definition = objectAt(tool, 'function');
    const name = definition === undefined ? undefined : stringAt(definition, 'name');
    if (definition === undefined || name === undefined) return [];
    return [{ name, schema: definition.parameters ?? { type: 'object', properties: {} } }];
  });
}

function readToolChoice(body: JsonObject): Turn['toolChoice'] {
  const choice = body.tool_choice;
  if (choice === 'none' || choice === 'required') return choice;
  const named = isObject(choice) ? objectAt(choice, 'function') : undefined;
  const name = named === undefined ? undefined : stringAt(named, 'name');
  return name === undefined ? 'auto' : { name };
}

function readAnswerSchema(body: JsonObject): Turn['answerSchema'] {
  const format = objectAt(body, 'response_format');
  if (format?.type === 'json_object') return { schema: anyObjectSchema };
  if (format?.type !== 'json_schema') return undefined;
  return { schema: objectAt(format, 'json_schema')?.schema ?? {} };
}

function readReasoning(body: JsonObject): Turn['reasoning'] {
  const reasoning = objectAt(body, 'reasoning');
  const effort = reasoning?.effort ?? body.reasoning_effort;
  if (effort === 'none' || reasoning?.enabled === false) return 'none';
  if (reasoning === undefined && effort === undefined) return 'none';
  return reasoning?.exclude === true ? 'hidden' : 'shown';
}

function readMaxTokens(body: JsonObject): number | undefined {
  return numberAt(body, 'max_completion_tokens') ?? numberAt(body, 'max_tokens');
}

const isInstruction = ({ role }: JsonObject): boolean => role === 'system' || role === 'developer';

function calledIn({ tool_calls: calls }: JsonObject): readonly string[] {
  return objectsIn(calls).flatMap((call) => stringAt(objectAt(call, 'function') ?? {}, 'name') ?? []);
}

export function readChatTurn(body: JsonObject): Turn {
  const messages = objectsIn(body.messages);
  const lastUserIndex = messages.findLastIndex((message) => message.role === 'user');
  const results = messages.slice(lastUserIndex + 1).filter((message) => message.role === 'tool');
  const toolTokens = body.tools === undefined ? 0 : countTokens(JSON.stringify(body.tools));
  return {
    promptTokens: messages.reduce((sum, message) => sum + messageTokens(message), TOKENS_PER_MESSAGE) + toolTokens,
    instructions: messages
      .filter(isInstruction)
      .map(({ content }) => textOf(content))
      .join('\n'),
    lastUserText: textOf(messages[lastUserIndex]?.content),
    toolResults: results.map((message) => textOf(message.content)),
    calledTools: messages.slice(lastUserIndex + 1).flatMap(calledIn),
    tools: readTools(body),
    toolChoice: readToolChoice(body),
    maxTokens: readMaxTokens(body),
    stopSequences: [body.stop].flat().filter((stop) => typeof stop === 'string'),
    answerSchema: readAnswerSchema(body),
    reasoning: readReasoning(body),
  };
}
