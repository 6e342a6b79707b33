// The words of an input that has been checked, changed one by one; token ids and images stay as they are.

import { isJsonObject } from '../../canonical/json.ts';

export function mapInputTexts(input: unknown, replace: (text: string) => string): unknown {
  if (typeof input === 'string') return replace(input);
  if (Array.isArray(input)) return input.map((item) => mapInputTexts(item, replace));
  if (!isJsonObject(input)) return input;
  if (Array.isArray(input.content)) return { ...input, content: mapInputTexts(input.content, replace) };
  return typeof input.text === 'string' ? { ...input, text: replace(input.text) } : input;
}
