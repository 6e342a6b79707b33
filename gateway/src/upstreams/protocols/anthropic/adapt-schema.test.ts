// A schema reaches the API with the parts that the API accepts, and the model still reads the other parts as text.

import { expect, test } from 'vitest';
import { adaptSchema } from './adapt-schema.ts';

test('TOOL-11 a schema within the language is left as it is', () => {
  const schema = {
    type: 'object',
    properties: { kind: { enum: ['a', 'b'] }, list: { type: 'array', items: { type: 'string' }, minItems: 1 } },
    required: ['kind'],
    additionalProperties: false,
    description: 'A thing.',
  };
  expect(adaptSchema(schema)).toEqual(schema);
});

test('TOOL-11 objects are closed at every depth, where a schema may stand and nowhere else', () => {
  const open = { type: 'object', properties: { a: { type: 'string' } } };
  const closed = { ...open, additionalProperties: false };
  const schema = {
    ...open,
    properties: { type: open, items: { type: ['object', 'null'], properties: {} } },
    anyOf: [open],
    allOf: [open],
    $defs: { properties: open },
    default: open,
    enum: [open],
    items: open,
    additionalProperties: true,
  };
  expect(adaptSchema(schema)).toEqual({
    type: 'object',
    properties: { type: closed, items: { type: ['object', 'null'], properties: {}, additionalProperties: false } },
    anyOf: [closed],
    allOf: [closed],
    $defs: { properties: closed },
    default: open,
    enum: [open],
    items: closed,
    additionalProperties: false,
  });
});

test('bounds that the API refuses become words', () => {
  expect(adaptSchema({ type: 'integer', description: 'Age.', minimum: 0, maximum: 9007199254740993n })).toEqual({
    type: 'integer',
    description: 'Age. (minimum: 0, maximum: 9007199254740993)',
  });
  expect(adaptSchema({ type: 'array', minItems: 3 })).toEqual({ type: 'array', description: '(minItems: 3)' });
  expect(adaptSchema({ oneOf: [{ type: 'string', maxLength: 5 }, true] })).toEqual({
    anyOf: [{ type: 'string', description: '(maxLength: 5)' }, true],
  });
});
