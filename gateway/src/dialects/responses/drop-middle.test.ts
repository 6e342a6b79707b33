// A Responses body is split into turns and joined again; the original body is never changed.

import { expect, test } from 'vitest';
import { readResponsesTurns } from './drop-middle.ts';

const body = Object.freeze({
  model: 'm/1',
  instructions: 'Be brief.',
  input: Object.freeze([
    { role: 'developer', content: 'Use tools.' },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Find it.' }] },
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' },
    { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
    { type: 'local_shell_call', call_id: 'b', action: {} },
    { type: 'function_call_output', call_id: 'a', output: 'x' },
    { type: 'local_shell_call_output', call_id: 'b', output: 'y' },
    { type: 'additional_tools', tools: [] },
  ]),
});

test('ROUTE-24 items are turns, thinking leads to what follows, and what is unknown stays', () => {
  const { list, frame } = readResponsesTurns(body);
  expect(list.map(({ role, calls, answers, leadsToNext }) => [role, calls, answers, leadsToNext])).toEqual([
    ['system', [], [], false],
    ['user', [], [], false],
    ['assistant', [], [], true],
    ['assistant', ['a'], [], false],
    ['assistant', ['b'], [], false],
    ['tool', [], ['a'], false],
    ['tool', [], ['b'], false],
    ['system', [], [], false],
  ]);
  expect(frame).toContain('Be brief.');
});

test('ROUTE-24 the rest of the body stays as it was', () => {
  const { keep } = readResponsesTurns(body);
  expect(keep(new Set([0, 7]))).toEqual({ ...body, input: [body.input[0], body.input[7]] });
  expect(body.input).toHaveLength(8);
});

test('input that is plain text is one turn of the user', () => {
  const plain = { model: 'm/1', input: 'Hello' };
  const { list, keep } = readResponsesTurns(plain);
  expect(list.map(({ role }) => role)).toEqual(['user']);
  expect(keep(new Set([0]))).toBe(plain);
});
