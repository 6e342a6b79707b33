// Other spellings of a chat request reach the parser in one form; a body that already has that form is not even copied.

import { expect, test } from 'vitest';
import { normalizeBody } from './normalize-body.ts';

const chat = { model: 'm/1', messages: [{ role: 'user', content: 'Hi' }] };

test('an ordinary body is returned as it is', () => {
  const body = {
    ...chat,
    tools: [{ type: 'function', function: { name: 'f' } }],
    tool_choice: 'auto',
    input: 'ignored',
  };
  expect(normalizeBody(body)).toBe(body);
});

test('ROUTE-19 only a body whose messages are missing is read by its input', () => {
  const messages = [{ role: 'user', content: 'Hi' }];
  expect(normalizeBody({ messages: null, input: 'Hi' }).messages).toEqual(messages);
  expect(normalizeBody({ input: 'Hi' }).messages).toEqual(messages);
  const neither = { model: 'm/1', input: null };
  expect(normalizeBody(neither)).toBe(neither);
});

test('ROUTE-20 fields of Responses are stripped without an error', () => {
  const body = { ...chat, previous_response_id: 'resp_1', truncation: 'auto', background: true, store: true, extra: 1 };
  expect(normalizeBody(body)).toEqual({ ...chat, extra: 1 });
  expect(body.store).toBe(true);
});

test('ROUTE-19 TOOL-01 flat tools are wrapped, nested ones beside them stay', () => {
  const nested = { type: 'function', function: { name: 'g' } };
  const flat = { type: 'function', name: 'f', description: null, parameters: { type: 'object' }, strict: true };
  expect(normalizeBody({ ...chat, tools: [flat, nested] }).tools).toEqual([
    { type: 'function', function: { name: 'f', parameters: { type: 'object' }, strict: true } },
    nested,
  ]);
});

test('ROUTE-19 an object where a word would do becomes the word', () => {
  for (const type of ['auto', 'none', 'required']) {
    expect(normalizeBody({ ...chat, tool_choice: { type } }).tool_choice).toBe(type);
  }
  const flat = { type: 'function', name: 'f' };
  expect(normalizeBody({ ...chat, tool_choice: flat }).tool_choice).toEqual({
    type: 'function',
    function: { name: 'f' },
  });
  const nested = { type: 'function', function: { name: 'f' } };
  expect(normalizeBody({ ...chat, tool_choice: nested }).tool_choice).toBe(nested);
});

test('ROUTE-19 tools that take plain text, and choices of tools, have the nested form too', () => {
  const grammar = { syntax: 'lark', definition: 'start: x' };
  const flat = { type: 'custom', name: 'patch', description: null, format: { type: 'grammar', ...grammar } };
  const body = { ...chat, tools: [flat], tool_choice: { type: 'custom', name: 'patch' } };
  expect(normalizeBody(body)).toEqual({
    ...chat,
    tools: [{ type: 'custom', custom: { name: 'patch', format: { type: 'grammar', grammar } } }],
    tool_choice: { type: 'custom', custom: { name: 'patch' } },
  });
  const tools = [{ type: 'function', name: 'f' }];
  const nested = {
    type: 'allowed_tools',
    allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
  };
  for (const choice of [
    { type: 'allowed_tools', mode: 'auto', tools },
    { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools } },
  ]) {
    expect(normalizeBody({ ...chat, tool_choice: choice }).tool_choice).toEqual(nested);
  }
  expect(normalizeBody({ ...chat, tool_choice: nested }).tool_choice).toBe(nested);
});

test('a key named __proto__ stays a key', () => {
  const body = JSON.parse('{"model":"m/1","messages":[],"store":true,"__proto__":{"polluted":true}}');
  const normalized = normalizeBody(body);
  expect(Object.hasOwn(normalized, '__proto__')).toBe(true);
  expect(normalized.polluted).toBeUndefined();
});
