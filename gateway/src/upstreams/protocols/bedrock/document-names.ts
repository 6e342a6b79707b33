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
  const used = new Set<string>();
  const rename = (block: JsonObject): JsonObject => {
    const { document, toolResult } = block;
    if (isJsonObject(toolResult) && Array.isArray(toolResult.content)) {
      return { toolResult: { ...toolResult, content: toolResult.content.map(rename) } };
    }
    if (!isJsonObject(document)) return block;
    return { document: { ...document, name: takeName(String(document.name), used) } };
  };
  return rename;
}

function takeName(name: string, used: Set<string>): string {
  let free = name;
  for (let number = 2; used.has(free.toLowerCase()); number += 1) {
    free = `${name.slice(0, NUMBERED_LENGTH_MAX).trim()} ${number}`;
  }
  used.add(free.toLowerCase());
  return free;
}
