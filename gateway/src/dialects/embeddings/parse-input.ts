// The inputs of embeddings: a text, several texts, token ids (one list or several), or items that mix texts and images.
// Each becomes one vector.

import { isFilled, isJsonObject, type JsonObject } from '../../canonical/json.ts';
import type { EmbeddingInput, EmbeddingPart } from '../../canonical/operation.ts';
import { imageTokens, textTokens } from '../estimate-prompt.ts';
import { readImageUrl } from '../media-address.ts';
import { refuseField, refuseMissing } from '../refuse.ts';

const INPUTS_MAX = 2_048;
const PARTS_MAX = 256;
const TOKEN_ID_MAX = 2 ** 31;

type ParsedInput = Readonly<{ inputs: readonly EmbeddingInput[]; hasImages: boolean }>;

export function parseInput(input: unknown): ParsedInput {
  if (input === undefined || input === null) throw refuseMissing('input');
  const items: readonly unknown[] = isSingle(input) ? [input] : (input as readonly unknown[]);
  if (items.length === 0) throw refuseField('input', 'must not be empty');
  if (items.length > INPUTS_MAX) throw refuseField('input', `may have at most ${INPUTS_MAX} entries`);
  const pathOf = (index: number): string => (items.length === 1 && isSingle(input) ? 'input' : `input[${index}]`);
  const inputs = items.map((item, index) => parseItem(item, pathOf(index)));
  return { inputs, hasImages: items.some(hasImage) };
}

/** A list that begins with a number is one text, as token ids. */
function isSingle(input: unknown): boolean {
  return !Array.isArray(input) || typeof input[0] === 'number' || typeof input[0] === 'bigint';
}

function parseItem(item: unknown, path: string): EmbeddingInput {
  if (typeof item === 'string') return ofText(item, path);
  if (Array.isArray(item)) return ofTokenIds(item, path);
  if (isJsonObject(item)) return ofParts(item, path);
  throw refuseField(path, 'must be a string, an array of token ids or an object with content');
}

function ofText(text: string, path: string): EmbeddingInput {
  if (text === '') throw refuseField(path, 'must not be empty');
  const parts = [{ type: 'text', text }] as const;
  return { parts, texts: [text], tokensEstimate: Math.ceil(textTokens(text)), isExact: false };
}

function ofTokenIds(ids: readonly unknown[], path: string): EmbeddingInput {
  const isId = (id: unknown): boolean => typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < TOKEN_ID_MAX;
  if (ids.length === 0 || !ids.every(isId)) throw refuseField(path, 'must hold token ids, which are whole numbers');
  return { parts: [], texts: [], tokensEstimate: ids.length, isExact: true };
}

function ofParts({ content }: JsonObject, path: string): EmbeddingInput {
  if (!Array.isArray(content) || content.length === 0 || content.length > PARTS_MAX) {
    throw refuseField(`${path}.content`, `must be an array of 1 to ${PARTS_MAX} parts`);
  }
  const parts: EmbeddingPart[] = [];
  let tokens = 0;
  for (const [index, part] of content.entries()) {
    const partPath = `${path}.content[${index}]`;
    if (!isJsonObject(part)) throw refuseField(partPath, 'must be an object');
    if (part.type === 'text') {
      if (!isFilled(part.text)) throw refuseField(`${partPath}.text`, 'must be a string that is not empty');
      parts.push({ type: 'text', text: part.text });
      tokens += textTokens(part.text);
    } else if (part.type === 'image_url') {
      const url = readImageUrl(part.image_url, partPath);
      parts.push({ type: 'picture', url });
      tokens += imageTokens(url);
    } else throw refuseField(`${partPath}.type`, 'must be text or image_url');
  }
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return { parts, texts, tokensEstimate: Math.ceil(tokens), isExact: false };
}

function hasImage(item: unknown): boolean {
  if (!isJsonObject(item) || !Array.isArray(item.content)) return false;
  return item.content.some((part) => isJsonObject(part) && part.type === 'image_url');
}
