// What the checks cost where an agent offers as many functions as are taken, and allows them all.

import { expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import { parseTools } from './parse-tools.ts';
import { toConversation } from './to-conversation.ts';

const COUNT = 1_024;

test('a choice that allows a thousand functions of a thousand is read in proportion to them', () => {
  let reads = 0;
  const tools = Array.from({ length: COUNT }, (_, index) => ({
    type: 'function',
    get name() {
      reads += 1;
      return `f${index}`;
    },
  }));
  const allowed = tools.map((_, index) => ({ type: 'function', name: `f${index}` }));
  const body: JsonObject = { input: 'x', tools, tool_choice: { type: 'allowed_tools', mode: 'auto', tools: allowed } };
  expect(parseTools(body).hasFunctions).toBe(true);
  expect(toConversation(body).tools.length).toBe(COUNT);
  expect(reads).toBeLessThan(10 * COUNT);
});
