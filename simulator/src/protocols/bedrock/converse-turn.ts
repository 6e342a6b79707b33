// Reads a Converse request and finds what the real API would refuse, above all results that do not match the calls
// before them: the usual mistake of translations between protocols.

import { anyObjectSchema } from '../../content/schema-value.ts';
import { countTokens } from '../../content/text.ts';
import type { Tool, Turn } from '../../content/turn.ts';
import { type JsonObject, numberAt, objectAt, objectsIn, stringAt } from '../../json.ts';

// There is no field for the form of an answer that all models know, so clients ask for it in words, and a model obeys.
const JSON_INSTRUCTION = /\b(?:one|single) valid JSON object\b/i;
const JSON_SCHEMA = /must satisfy this JSON Schema:\n(.*)$/s;
const TOKENS_PER_BLOCK = 3;
const TOKENS_PER_FILE = 85;

const textOf = (content: unknown): string =>
  objectsIn(content)
    .map((block) => stringAt(block, 'text') ?? '')
    .join('');

const idsOf = (message: JsonObject | undefined, key: string): readonly unknown[] =>
  objectsIn(message?.content).flatMap((block) => objectAt(block, key)?.toolUseId ?? []);

export function findConverseMistake(body: JsonObject): string | undefined {
  const messages = objectsIn(body.messages);
  if (messages.length === 0) return "The 'messages' field is required.";
  if (messages[0]?.role !== 'user') return 'A conversation must start with a user message.';
  let hasCalls = false;
  for (const [index, message] of messages.entries()) {
    if (objectsIn(message.content).length === 0) return 'The content field in the Message object is empty.';
    if (objectsIn(message.content).some(({ text }) => text === ''))
      return 'The text field in the ContentBlock is blank.';
    if (message.role === messages[index - 1]?.role)
      return 'A conversation must alternate between user and assistant roles.';
    const calls = idsOf(messages[index - 1], 'toolUse');
    const results = idsOf(message, 'toolResult');
    hasCalls ||= calls.length > 0;
    if (calls.length !== results.length || calls.some((id) => !results.includes(id))) {
      return 'Expected toolResult blocks for the toolUse ids of the previous turn.';
    }
  }
  if (hasCalls && objectAt(body, 'toolConfig') === undefined) {
    return 'The toolConfig field must be defined when using toolUse and toolResult content blocks.';
  }
  return undefined;
}

function readTools(body: JsonObject): readonly Tool[] {
  return objectsIn(objectAt(body, 'toolConfig')?.tools).flatMap((tool) => {
    const spec = objectAt(tool, 'toolSpec') ?? {};
    const name = stringAt(spec, 'name');
    return name === undefined ? [] : [{ name, schema: objectAt(spec, 'inputSchema')?.json ?? anyObjectSchema }];
  });
}

function readToolChoice(body: JsonObject): Turn['toolChoice'] {
  const choice = objectAt(objectAt(body, 'toolConfig') ?? {}, 'toolChoice') ?? {};
  const name = stringAt(objectAt(choice, 'tool') ?? {}, 'name');
  if (name !== undefined) return { name };
  return choice.any === undefined ? 'auto' : 'required';
}

function countPrompt(body: JsonObject): number {
  const blocks = [...objectsIn(body.system), ...objectsIn(body.messages).flatMap(({ content }) => objectsIn(content))];
  return blocks.reduce(
    (sum, block) => {
      const isFile = block.image !== undefined || block.document !== undefined;
      return sum + TOKENS_PER_BLOCK + (isFile ? TOKENS_PER_FILE : countTokens(stringAt(block, 'text') ?? ''));
    },
    countTokens(JSON.stringify(body.toolConfig ?? '')),
  );
}

function readAnswerSchema(body: JsonObject): Turn['answerSchema'] {
  const instructions = textOf(body.system);
  const schema = JSON_SCHEMA.exec(instructions)?.[1];
  if (schema !== undefined) return { schema: JSON.parse(schema) };
  return JSON_INSTRUCTION.test(instructions) ? { schema: anyObjectSchema } : undefined;
}

function calledIn(message: JsonObject | undefined, results: readonly JsonObject[]): readonly string[] {
  if (results.length === 0) return [];
  return objectsIn(message?.content).flatMap((block) => stringAt(objectAt(block, 'toolUse') ?? {}, 'name') ?? []);
}

export function readConverseTurn(body: JsonObject): Turn {
  const config = objectAt(body, 'inferenceConfig') ?? {};
  const fields = objectAt(body, 'additionalModelRequestFields') ?? {};
  const spoken = objectsIn(body.messages).filter(({ role }) => role === 'user');
  const results = objectsIn(spoken.at(-1)?.content).flatMap((block): readonly JsonObject[] => {
    const result = objectAt(block, 'toolResult');
    return result === undefined ? [] : [result];
  });
  const isThinking = (fields.thinking ?? fields.reasoningConfig ?? fields.reasoning_effort) !== undefined;
  return {
    promptTokens: countPrompt(body),
    instructions: textOf(body.system),
    calledTools: calledIn(objectsIn(body.messages).at(-2), results),
    lastUserText: textOf(spoken.findLast(({ content }) => textOf(content) !== '')?.content),
    toolResults: results.map(({ content }) => textOf(content)),
    tools: readTools(body),
    toolChoice: readToolChoice(body),
    maxTokens: numberAt(config, 'maxTokens'),
    stopSequences: [config.stopSequences].flat().filter((stop) => typeof stop === 'string'),
    answerSchema: readAnswerSchema(body),
    reasoning: isThinking ? 'shown' : 'none',
  };
}
