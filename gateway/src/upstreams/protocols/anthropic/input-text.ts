// The arguments of a tool call as text, which is how every other format carries them. A call without arguments still
// has an object: clients parse the text whether or not there is anything in it.

import { stringifyExactJson } from '../../../platform/exact-json.ts';

export function inputText(input: unknown): string {
  if (input === undefined || input === null || input === '') return '{}';
  return typeof input === 'string' ? input : stringifyExactJson(input);
}
