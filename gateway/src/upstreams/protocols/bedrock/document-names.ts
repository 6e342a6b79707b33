// Names of documents. The API takes few characters, no two spaces in a row, and no name twice in all messages, the
// results of tools included; a call that breaks one of these rules is refused.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';

const EXTENSION = /\.[a-z0-9]+$/i;
const FORBIDDEN = /[^a-zA-Z0-9()[\]-]+/g;
const LENGTH_MAX = 200;
/** Room for the number that tells a name from an earlier one. */
const NUMBERED_LENGTH_MAX = 190;
const UNNAMED = 'document';

export function documentName(filename = ''): string {
  const name = filename.replace(EXTENSION, '').replace(FORBIDDEN, ' ').trim().slice(0, LENGTH_MAX).trim();
  return name === '' ? UNNAMED : name;
}

/** For the blocks of one call in their order: a name that was used before gets a number. */
export function distinctNames(): (block: JsonObject) => JsonObject {
  const names = new TakenNames();
  const rename = (block: JsonObject): JsonObject => {
    const { document, toolResult } = block;
    if (isJsonObject(toolResult) && Array.isArray(toolResult.content)) {
      return { toolResult: { ...toolResult, content: toolResult.content.map(rename) } };
    }
    if (!isJsonObject(document)) return block;
    return { document: { ...document, name: names.take(String(document.name)) } };
  };
  return rename;
}

class TakenNames {
  readonly #taken = new Set<string>();
  /** By what is put before a number: the last one given, so that no document of a thousand tries all before its own. */
  readonly #numbers = new Map<string, number>();

  take(name: string): string {
    const stem = name.slice(0, NUMBERED_LENGTH_MAX).trim();
    let number = this.#numbers.get(stem.toLowerCase()) ?? 1;
    let free = name;
    while (this.#taken.has(free.toLowerCase())) {
      number += 1;
      free = `${stem} ${number}`;
    }
    this.#numbers.set(stem.toLowerCase(), number);
    this.#taken.add(free.toLowerCase());
    return free;
  }
}
