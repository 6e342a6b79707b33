// Tools are well-formed functions, and a forced choice is one of them.

import { describe, expect, test } from 'vitest';
import { parseTools } from './parse-tools.ts';

const tool = (definition: unknown) => ({ type: 'function', function: definition });
const weather = tool({ name: 'get_weather', description: 'Weather', parameters: { type: 'object' } });
const refusal = (code: string, message = '') =>
  expect.objectContaining({ code, message: expect.stringContaining(message) });
const invalid = (message?: string) => refusal('invalid_tools_definition', message);

test('TOOL-01 nested function tools are taken; description and parameters may be left out', () => {
  expect(parseTools([weather, tool({ name: 'f' })], undefined)).toBe(true);
  expect(parseTools(undefined, undefined)).toBe(false);
  expect(parseTools([], undefined)).toBe(false);
});

test('TOOL-01 another shape is refused and named', () => {
  expect(() => parseTools({}, undefined)).toThrow(invalid('tools must be an array'));
  for (const wrong of [
    null,
    'f',
    [],
    {},
    { type: 'function' },
    { type: 'function', function: 'f' },
    { type: 'custom' },
  ]) {
    expect(() => parseTools([weather, wrong], undefined)).toThrow(invalid('tools[1]'));
  }
  expect(() => parseTools([tool({ name: 'f', description: 5 })], undefined)).toThrow(invalid('description'));
});

test('TOOL-01 128 tools are taken, one more is not', () => {
  expect(parseTools(Array(128).fill(weather), undefined)).toBe(true);
  expect(() => parseTools(Array(129).fill(weather), undefined)).toThrow(invalid('at most 128'));
});

test('TOOL-02 ERR-37 names use letters, digits, underscore and dash', () => {
  expect(parseTools([tool({ name: 'a-Z_09' })], undefined)).toBe(true);
  for (const name of ['get weather!', 'bad name!', '', 'naïve', 'a.b', 'x'.repeat(129), 5, undefined, 'a\n']) {
    expect(() => parseTools([tool({ name })], undefined)).toThrow(invalid('tools[0].function.name'));
  }
});

test('TOOL-03 parameters are a JSON Schema object', () => {
  for (const parameters of ['{}', [], 5, null]) {
    expect(() => parseTools([tool({ name: 'f', parameters })], undefined)).toThrow(invalid('parameters'));
  }
});

describe('a tool that takes plain text', () => {
  const custom = (change: object = {}) => ({ type: 'custom', custom: { name: 'patch', ...change } });
  const grammar = (rules: unknown) => custom({ format: { type: 'grammar', grammar: rules } });
  const choice = { type: 'custom', custom: { name: 'patch' } };

  test('is offered with or without a format, and can be chosen', () => {
    for (const format of [undefined, null, { type: 'text' }]) {
      expect(parseTools([weather, custom({ format, description: 'Edits.' })], choice)).toBe(true);
    }
    expect(parseTools([grammar({ syntax: 'regex', definition: '.*' })], 'required')).toBe(true);
  });

  test.each<[unknown, string]>([
    [{ type: 'custom', custom: 'patch' }, 'tools[0].custom '],
    [custom({ name: 'a b' }), 'tools[0].custom.name'],
    [custom({ description: 5 }), 'tools[0].custom.description'],
    [custom({ format: 'text' }), 'tools[0].custom.format'],
    [custom({ format: { type: 'xml' } }), 'tools[0].custom.format.type'],
    [grammar('start: x'), 'tools[0].custom.format.grammar'],
    [grammar({ definition: '.*' }), 'tools[0].custom.format.grammar.syntax'],
    [grammar({ syntax: 'regex' }), 'tools[0].custom.format.grammar.definition'],
  ])('%j is refused and named', (wrong, place) => {
    expect(() => parseTools([wrong], undefined)).toThrow(invalid(place));
  });

  test('is not chosen as a function, nor a function as one', () => {
    const asFunction = { type: 'function', function: { name: 'patch' } };
    expect(() => parseTools([custom()], asFunction)).toThrow(invalid('function that is not in tools'));
    expect(() => parseTools([tool({ name: 'patch' })], choice)).toThrow(invalid('custom tool that is not in tools'));
  });
});

test('RESP-06 AMB-10 hosted tools are known and refused by name', () => {
  for (const type of ['web_search_preview', 'file_search', 'computer_use_preview']) {
    expect(() => parseTools([{ type }], undefined)).toThrow(refusal('unsupported_param', type));
  }
});

describe('TOOL-04 TOOL-05 a choice that allows some of the tools', () => {
  const patch = { type: 'custom', custom: { name: 'patch' } };
  const named = { type: 'function', function: { name: 'get_weather' } };
  const allow = (allowed: unknown) => parseTools([weather, patch], { type: 'allowed_tools', allowed_tools: allowed });

  test('names functions and tools that take plain text, in both modes', () => {
    expect(allow({ mode: 'auto', tools: [named, patch] })).toBe(true);
    expect(allow({ mode: 'required', tools: [patch] })).toBe(true);
    expect(allow({ mode: 'auto', tools: [] })).toBe(true);
  });

  test.each<[unknown, string]>([
    [undefined, 'tool_choice.allowed_tools must'],
    [{ mode: 'none', tools: [named] }, 'tool_choice.allowed_tools.mode'],
    [{ mode: 'auto' }, 'tool_choice.allowed_tools.tools'],
    [{ mode: 'required', tools: [] }, 'tool_choice.allowed_tools.tools'],
    [{ mode: 'auto', tools: Array(129).fill(named) }, 'at most 128'],
    [{ mode: 'auto', tools: [named, 'patch'] }, 'tool_choice.allowed_tools.tools[1]'],
    [{ mode: 'auto', tools: [{ type: 'mcp' }] }, 'tool_choice.allowed_tools.tools[0]'],
  ])('%j is refused and named', (wrong, place) => {
    expect(() => allow(wrong)).toThrow(refusal('http_400', place));
  });

  test('a name that is not offered is told with its place', () => {
    const absent = { type: 'function', function: { name: 'patch' } };
    expect(() => allow({ mode: 'auto', tools: [named, absent] })).toThrow(
      invalid('tool_choice.allowed_tools.tools[1] names a function that is not in tools'),
    );
    expect(() => allow({ mode: 'auto', tools: [{ type: 'custom', custom: { name: 'x' } }] })).toThrow(
      invalid('tools[0] names a custom tool that is not in tools'),
    );
  });
});

test('TOOL-04 the forms of tool_choice and no other', () => {
  for (const choice of ['auto', 'none', 'required', { type: 'function', function: { name: 'get_weather' } }]) {
    expect(parseTools([weather], choice)).toBe(true);
  }
  for (const choice of [
    'any',
    '',
    5,
    [],
    {},
    { type: 'function' },
    { type: 'any' },
    { type: 'function', function: {} },
  ]) {
    expect(() => parseTools([weather], choice)).toThrow(refusal('http_400', 'tool_choice'));
  }
});

test('TOOL-05 a choice of a function that is not offered', () => {
  const choice = { type: 'function', function: { name: 'other' } };
  expect(() => parseTools([weather], choice)).toThrow(invalid('tool_choice'));
  expect(() => parseTools(undefined, choice)).toThrow(invalid('tool_choice'));
});
