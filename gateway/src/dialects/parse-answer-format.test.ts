// The format of an answer is one of three, and the schema of a format with one must be there.

import { expect, test } from 'vitest';
import { parseAnswerFormat } from './parse-answer-format.ts';

const parseResponseFormat = (format: unknown): boolean => parseAnswerFormat(format, 'response_format', 'json_schema');

const refusal = (code: string, message = '') =>
  expect.objectContaining({ code, message: expect.stringContaining(message) });
const schema = { type: 'object' };

test('TOOL-10 TOOL-11 TOOL-12 the accepted forms, and which of them the model must support', () => {
  expect(parseResponseFormat(undefined)).toBe(false);
  expect(parseResponseFormat({ type: 'text' })).toBe(false);
  expect(parseResponseFormat({ type: 'json_object' })).toBe(true);
  expect(parseResponseFormat({ type: 'json_schema', json_schema: { name: 'x', strict: true, schema } })).toBe(true);
  expect(parseResponseFormat({ type: 'json_schema', json_schema: { name: 'x', strict: null, schema } })).toBe(true);
});

test('TOOL-11 ERR-36 name and schema are required, the schema is an object', () => {
  const wrong = [undefined, 'x', { name: 'x' }, { schema }, { name: '', schema }, { name: 5, schema }];
  for (const json_schema of [
    ...wrong,
    { name: 'x', schema: [] },
    { name: 'x', schema: '{}' },
    { name: 'x', schema, strict: 1 },
  ]) {
    const format = { type: 'json_schema', json_schema };
    expect(() => parseResponseFormat(format)).toThrow(refusal('invalid_response_format_schema', 'json_schema'));
  }
});

test('TOOL-12 other types are refused', () => {
  for (const type of ['xml', 'grammar', undefined, 5, null]) {
    expect(() => parseResponseFormat({ type })).toThrow(
      refusal('invalid_response_format_schema', 'response_format.type'),
    );
  }
  for (const format of ['json_object', [], 5]) {
    expect(() => parseResponseFormat(format)).toThrow(refusal('http_400', 'response_format'));
  }
});
