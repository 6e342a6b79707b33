// Reads a Responses request: a plain text or items of every kind that real clients send.

import { anyObjectSchema } from '../../content/schema-value.ts';
import { countTokens } from '../../content/text.ts';
import type { Tool, Turn } from '../../content/turn.ts';
import { isObject, type JsonObject, numberAt, objectAt, objectsIn, stringAt } from '../../json.ts';
import { textOf } from './chat-turn.ts';

const TOKENS_PER_ITEM = 3;
const TOKENS_PER_MEDIA_BLOCK = 85;

function itemTokens(item: JsonObject): number {
  const media = objectsIn(item.content).filter((block) => typeof block.text !== 'string').length;
  const others = [item.arguments, item.output, item.encrypted_content].map((part) =>
    typeof part === 'string' ? part : textOf(part),
  );
  return TOKENS_PER_ITEM + countTokens(textOf(item.content) + others.join('')) + media * TOKENS_PER_MEDIA_BLOCK;
}

function readFunctions(tools: unknown): readonly Tool[] {
  return objectsIn(tools).flatMap((tool) => {
    if (tool.type === 'namespace') return readFunctions(tool.tools);
    const name = tool.type === 'function' ? stringAt(tool, 'name') : undefined;
    if (name === undefined) return [];
    return [{ name, schema: tool.parameters ?? { type: 'object', properties: {} } }];
  });
}

function readToolChoice(choice: unknown): Turn['toolChoice'] {
  if (choice === 'none' || choice === 'required') return choice;
  const name = isObject(choice) && choice.type === 'function' ? stringAt(choice, 'name') : undefined;
  return name === undefined ? 'auto' : { name };
}

function readAnswerSchema(body: JsonObject): Turn['answerSchema'] {
  const format = objectAt(objectAt(body, 'text') ?? {}, 'format');
  if (format?.type === 'json_object') return { schema: anyObjectSchema };
  return format?.type === 'json_schema' ? { schema: format.schema ?? {} } : undefined;
}

/** The real API shows reasoning only to a client that asks for a summary. */
function readReasoning(body: JsonObject): Turn['reasoning'] {
  const reasoning = objectAt(body, 'reasoning');
  if (reasoning === undefined || reasoning.effort === 'none') return 'none';
  return stringAt(reasoning, 'summary') === undefined ? 'hidden' : 'shown';
}

const isInstruction = ({ role }: JsonObject): boolean => role === 'system' || role === 'developer';

export function readResponsesTurn(body: JsonObject): Turn {
  const { input } = body;
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : objectsIn(input);
  const lastUserIndex = items.findLastIndex((item) => item.role === 'user');
  const results = items.slice(lastUserIndex + 1).filter((item) => item.type === 'function_call_output');
  const additional = items.filter((item) => item.type === 'additional_tools').map((item) => item.tools);
  const tools = [body.tools, ...additional];
  const toolTokens = countTokens(tools.map((list) => (list === undefined ? '' : JSON.stringify(list))).join(''));
  const instructions = stringAt(body, 'instructions') ?? '';
  return {
    promptTokens: items.reduce((sum, item) => sum + itemTokens(item), countTokens(instructions)) + toolTokens,
    instructions: [instructions, ...items.filter(isInstruction).map(({ content }) => textOf(content))].join('\n'),
    lastUserText: textOf(items[lastUserIndex]?.content),
    calledTools: items
      .slice(lastUserIndex + 1)
      .flatMap((item) => (item.type === 'function_call' ? (stringAt(item, 'name') ?? []) : [])),
    toolResults: results.map((item) => (typeof item.output === 'string' ? item.output : textOf(item.output))),
    tools: tools.flatMap(readFunctions),
    toolChoice: readToolChoice(body.tool_choice),
    maxTokens: numberAt(body, 'max_output_tokens'),
    stopSequences: [],
    answerSchema: readAnswerSchema(body),
    reasoning: readReasoning(body),
  };
}
