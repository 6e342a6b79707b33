// What a caller asks for, as plain text, from a checked body of any dialect: the user's last message, the instructions,
// the tools. It reads from the end and is bounded, because the conversation before may have megabytes.

import { isJsonObject, type JsonObject, listOrEmpty } from '../canonical/json.ts';

type PromptText = Readonly<{
  /** Empty where the user's message has no words. For long texts, the beginning and the end. */
  lastUserText: string;
  systemText: string;
  toolNames: readonly string[];
}>;

const TEXT_TYPES: ReadonlySet<unknown> = new Set(['text', 'input_text']);
const SYSTEM_ROLES: ReadonlySet<unknown> = new Set(['system', 'developer']);
/** For a text, and for the texts of one message: this much at either end. */
const END_LENGTH_MAX = 2_048;
const END_PARTS_MAX = 8;
const SYSTEM_MESSAGES_MAX = 4;
const TOOLS_MAX = 32;

export function readPromptText(body: JsonObject): PromptText {
  const turns = body.messages ?? body.input;
  return {
    lastUserText: typeof turns === 'string' ? bothEnds(turns) : lastUserText(listOrEmpty(turns)),
    systemText: systemTextOf(body.system ?? body.instructions, listOrEmpty(turns)),
    toolNames: listOrEmpty(body.tools).slice(0, TOOLS_MAX).flatMap(toolNameOf),
  };
}

/** Tool results and pictures after it are skipped. */
function lastUserText(turns: readonly unknown[]): string {
  for (let index = turns.length - 1; index >= 0; index -= 1) {
    const turn = turns[index];
    if (!isJsonObject(turn) || turn.role !== 'user') continue;
    const text = textOf(turn.content);
    if (text !== '') return text;
  }
  return '';
}

/** Instructions have a field of their own in some dialects, and are before the conversation in others. */
function systemTextOf(field: unknown, turns: readonly unknown[]): string {
  const texts = [textOf(field)];
  for (const turn of turns.slice(0, SYSTEM_MESSAGES_MAX)) {
    if (isJsonObject(turn) && SYSTEM_ROLES.has(turn.role)) texts.push(textOf(turn.content));
  }
  return texts.filter((text) => text !== '').join('\n');
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return bothEnds(content);
  const parts = listOrEmpty(content);
  const shown =
    parts.length <= 2 * END_PARTS_MAX ? parts : [...parts.slice(0, END_PARTS_MAX), ...parts.slice(-END_PARTS_MAX)];
  const texts: string[] = [];
  for (const part of shown) {
    if (isJsonObject(part) && TEXT_TYPES.has(part.type) && typeof part.text === 'string')
      texts.push(bothEnds(part.text));
  }
  return texts.join('\n');
}

function toolNameOf(tool: unknown): readonly string[] {
  const nested = isJsonObject(tool) ? (tool.function ?? tool.custom) : undefined;
  const definition = isJsonObject(nested) ? nested : tool;
  return isJsonObject(definition) && typeof definition.name === 'string' ? [definition.name] : [];
}

function bothEnds(text: string): string {
  if (text.length <= 2 * END_LENGTH_MAX) return text;
  return `${text.slice(0, END_LENGTH_MAX)}\n${text.slice(-END_LENGTH_MAX)}`;
}
