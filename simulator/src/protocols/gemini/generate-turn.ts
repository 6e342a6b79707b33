// Reads a generateContent request and finds what the real API would refuse, above all results that do not match the
// calls before them: the usual mistake of translations between protocols.

import { anyObjectSchema } from '../../content/schema-value.ts';
import { countTokens } from '../../content/text.ts';
import type { Tool, Turn } from '../../content/turn.ts';
import { type JsonObject, numberAt, objectAt, objectsIn, stringAt } from '../../json.ts';
import { findForgedCall } from './signature.ts';

const TOKENS_PER_CONTENT = 3;
const TOKENS_PER_FILE = 258;
const ROLES: ReadonlySet<unknown> = new Set(['user', 'model', undefined]);

const textOf = (content: JsonObject | undefined): string =>
  objectsIn(content?.parts)
    .map((part) => stringAt(part, 'text') ?? '')
    .join('');

const countOf = (content: JsonObject | undefined, key: string): number =>
  objectsIn(content?.parts).filter((part) => objectAt(part, key) !== undefined).length;

export function findGenerateMistake(body: JsonObject): string | undefined {
  const contents = objectsIn(body.contents);
  if (contents.length === 0) return '* GenerateContentRequest.contents: contents is not specified';
  if (contents.some(({ role }) => !ROLES.has(role))) return 'Please use a valid role: user, model.';
  if (contents.some(({ parts }) => objectsIn(parts).length === 0)) return 'parts: must not be empty';
  for (const [index, content] of contents.entries()) {
    const results = countOf(content, 'functionResponse');
    const calls = countOf(contents[index - 1], 'functionCall');
    if (results !== calls && (results > 0 || calls > 0)) {
      return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
    }
  }
  return findForgedCall(contents);
}

function readTools(body: JsonObject): readonly Tool[] {
  return objectsIn(body.tools).flatMap((tool) =>
    objectsIn(tool.functionDeclarations).flatMap((declared) => {
      const name = stringAt(declared, 'name');
      return name === undefined ? [] : [{ name, schema: declared.parameters ?? anyObjectSchema }];
    }),
  );
}

function readToolChoice(body: JsonObject): Turn['toolChoice'] {
  const config = objectAt(objectAt(body, 'toolConfig') ?? {}, 'functionCallingConfig') ?? {};
  const [name] = [config.allowedFunctionNames].flat();
  if (config.mode === 'NONE') return 'none';
  if (config.mode !== 'ANY') return 'auto';
  return typeof name === 'string' ? { name } : 'required';
}

function readReasoning(config: JsonObject): Turn['reasoning'] {
  const thinking = objectAt(config, 'thinkingConfig');
  if (thinking === undefined || thinking.thinkingBudget === 0) return 'none';
  return thinking.includeThoughts === true ? 'shown' : 'hidden';
}

function countPrompt(body: JsonObject): number {
  const contents = [...objectsIn(body.contents), ...objectsIn([body.systemInstruction])];
  return contents.reduce(
    (sum, content) => {
      const files = countOf(content, 'inlineData') + countOf(content, 'fileData');
      return sum + TOKENS_PER_CONTENT + countTokens(textOf(content)) + files * TOKENS_PER_FILE;
    },
    countTokens(JSON.stringify(body.tools ?? '')),
  );
}

export function readGenerateTurn(body: JsonObject): Turn {
  const config = objectAt(body, 'generationConfig') ?? {};
  const spoken = objectsIn(body.contents).filter(({ role }) => role !== 'model');
  const results = objectsIn(spoken.at(-1)?.parts).flatMap((part) => {
    const response = objectAt(objectAt(part, 'functionResponse') ?? {}, 'response');
    return response === undefined ? [] : [String(response.output ?? response.error ?? JSON.stringify(response))];
  });
  const isJson = config.responseMimeType === 'application/json';
  return {
    promptTokens: countPrompt(body),
    instructions: textOf(objectAt(body, 'systemInstruction')),
    calledTools: objectsIn(spoken.at(-1)?.parts).flatMap(
      (part) => stringAt(objectAt(part, 'functionResponse') ?? {}, 'name') ?? [],
    ),
    lastUserText: textOf(spoken.findLast((content) => textOf(content) !== '')),
    toolResults: results,
    tools: readTools(body),
    toolChoice: readToolChoice(body),
    maxTokens: numberAt(config, 'maxOutputTokens'),
    stopSequences: [config.stopSequences].flat().filter((stop) => typeof stop === 'string'),
    answerSchema: isJson ? { schema: config.responseSchema ?? anyObjectSchema } : undefined,
    reasoning: readReasoning(config),
  };
}
