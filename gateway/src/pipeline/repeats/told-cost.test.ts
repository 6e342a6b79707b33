// Which of the figures in an answer is what the client paid, whatever a provider has put before, into and behind it.

import { expect, test } from 'vitest';
import { costIn, withoutCost } from './told-cost.ts';

const COUNTS = '"total_tokens":15';

test.each([
  ['chat', `{"usage":{${COUNTS},"cost":0.00002,"prompt_tokens_details":{}}}`],
  ['messages', `{"usage":{"input_tokens":1,"tollgate_cost":0.00002}}`],
  ['in a small figure', `{"usage":{"cost":2e-5}}`],
  ['before a member of the provider', `{"usage":{"cost":0.00002},"x":{"cost":7}}`],
  ['beside one in the usage', `{"usage":{"x":{"cost":7},"y":["cost",{"cost":7}],"cost":0.00002,"z":{"cost":7}}}`],
  ['before a usage without a cost', `{"usage":{"cost":0.00002},"x":{"usage":{"tokens":1,"y":{"cost":7}}}}`],
  ['behind words', `{"a":"\\"usage\\":{\\"cost\\":7}","usage":{"b":"}\\"cost\\":7{","cost":0.00002}}`],
  ['behind a tool call', `{"input":{"usage":{"cost":7}},"usage":{"cost":0.00002}}`],
  ['in a stream', `data: {"usage":{"cost":7}}\n\ndata: {"usage":{"cost":0.00002}}\n\ndata: [DONE]\n\n`],
])('%s', (_name, text) => {
  expect(costIn(text)).toBe(0.00002);
  expect(withoutCost(text)).toBe(text.replace(/0\.00002|2e-5/, '0'));
});

test.each([
  ['nothing', ''],
  ['no usage', '{"cost":7}'],
  ['a usage that breaks off', '{"usage":{"a":"'],
  ['a usage that is not told', '{"usage":null,"x":{"cost":7}}'],
])('there is none in %s', (_name, text) => {
  expect(costIn(text)).toBe(0);
  expect(withoutCost(text)).toBe(text);
});

test('very many usages within each other do not take long', () => {
  const depth = 100_000;
  expect(costIn(`${'{"usage":'.repeat(depth)}{}${'}'.repeat(depth)}`)).toBe(0);
});
