// Reads a Messages request and finds what the real API would refuse, above all tool results that do not match the calls
// before them: the usual mistake of translations between protocols.

import { anyObjectSchema } from '../../content/schema-value.ts';
import type { Tool, Turn } from '../../content/turn.ts';
import { type JsonObject, numberAt, objectAt, objectsIn, stringAt } from '../../json.ts';
import { blocksOf, countPrompt, type PromptBlock, textOf } from './prompt-blocks.ts';
import { findForgedThinking } from './signature.ts';

// This API has no plain JSON mode, so clients ask for it in words, and a model obeys.
const JSON_INSTRUCTION = /\b(?:answer|reply|respond) with (?:one|a single|a) (?:valid )?JSON object\b/i;

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system']);

function idsOf(message: JsonObject | undefined, type: string, key: string): readonly unknown[] {
  return objectsIn(message?.content)
    .filter((block) => block.type === type)
    .map((block) => block[key]);
}

function findUnmatchedTools(messages: readonly JsonObject[]): string | undefined {
  for (const [index, message] of messages.entries()) {
    const results = idsOf(message, 'tool_result', 'tool_use_id');
    const callsBefore = idsOf(messages[index - 1], 'tool_use', 'id');
    const stray = results.find((id) => !callsBefore.includes(id));
    if (stray !== undefined) {
      return `messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(stray)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
    }
    const resultsAfter = idsOf(messages[index + 1], 'tool_result', 'tool_use_id');
    const open = idsOf(message, 'tool_use', 'id').find((id) => !resultsAfter.includes(id));
    if (open !== undefined) {
      return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${String(open)}.`;
    }
  }
  return undefined;
}

export function findMessagesMistake(body: JsonObject, needsMaxTokens: boolean): string | undefined {
  if (stringAt(body, 'model') === undefined) return 'model: Field required';
  const maxTokens = numberAt(body, 'max_tokens');
  if (needsMaxTokens && maxTokens === undefined) return 'max_tokens: Field required';
  if (maxTokens !== undefined && !(Number.isInteger(maxTokens) && maxTokens >= 1))
    return 'max_tokens: Input should be greater than or equal to 1';
  if (!Array.isArray(body.messages)) return 'messages: Field required';
  const messages = objectsIn(body.messages);
  if (messages.length === 0) return 'messages: at least one message is required';
  const wrong = messages.findIndex((message) => !ROLES.has(message.role));
  if (wrong >= 0) return `messages.${wrong}.role: Input should be 'user' or 'assistant'`;
  const forged = findForgedThinking(messages);
  if (forged !== undefined) return `${forged}: Invalid \`signature\` in \`thinking\` block`;
  return findUnmatchedTools(messages.filter((message) => message.role !== 'system'));
}

function readToolChoice(body: JsonObject): Turn['toolChoice'] {
  const choice = objectAt(body, 'tool_choice');
  const name = choice === undefined ? undefined : stringAt(choice, 'name');
  if (choice?.type === 'none') return 'none';
  if (choice?.type === 'any') return 'required';
  return choice?.type === 'tool' && name !== undefined ? { name } : 'auto';
}

function readReasoning(body: JsonObject): Turn['reasoning'] {
  const thinking = objectAt(body, 'thinking');
  if (thinking === undefined || thinking.type === 'disabled') return 'none';
  return thinking.display === 'omitted' ? 'hidden' : 'shown';
}

function readTools(body: JsonObject): readonly Tool[] {
  // Hosted tools have no schema of their own and are never called by name here.
  return objectsIn(body.tools).flatMap((tool) => {
    const name = stringAt(tool, 'name');
    if (name === undefined || tool.input_schema === undefined) return [];
    return [{ name, schema: tool.input_schema }];
  });
}

function readAnswerSchema(body: JsonObject): Turn['answerSchema'] {
  const config = objectAt(body, 'output_config');
  const format = (config === undefined ? undefined : objectAt(config, 'format')) ?? objectAt(body, 'output_format');
  if (format?.type === 'json_schema') return { schema: format.schema };
  return JSON_INSTRUCTION.test(textOf(body.system)) ? { schema: anyObjectSchema } : undefined;
}

/** Since the user's last message. */
function calledIn(messages: readonly JsonObject[]): readonly string[] {
  const spoken = messages.findLastIndex(
    ({ role, content }) => role === 'user' && blocksOf(content).some(({ type }) => type === 'text'),
  );
  const blocks = messages.slice(spoken + 1).flatMap(({ content }) => objectsIn(content));
  return blocks.flatMap((block) => (block.type === 'tool_use' ? (stringAt(block, 'name') ?? []) : []));
}

export function readMessagesTurn(body: JsonObject, blocks: readonly PromptBlock[]): Turn {
  const userMessages = objectsIn(body.messages).filter((message) => message.role === 'user');
  const lastWithText = userMessages.findLast((message) => textOf(message.content) !== '');
  const results = blocksOf(userMessages.at(-1)?.content).filter((block) => block.type === 'tool_result');
  return {
    promptTokens: countPrompt(blocks),
    instructions: textOf(body.system),
    calledTools: results.length === 0 ? [] : calledIn(objectsIn(body.messages)),
    lastUserText: textOf(lastWithText?.content),
    toolResults: results.map((block) => textOf(block.content)),
    tools: readTools(body),
    toolChoice: readToolChoice(body),
    maxTokens: numberAt(body, 'max_tokens'),
    stopSequences: [body.stop_sequences].flat().filter((stop) => typeof stop === 'string'),
    answerSchema: readAnswerSchema(body),
    reasoning: readReasoning(body),
  };
}
