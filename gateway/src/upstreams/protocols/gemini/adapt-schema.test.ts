// Schemas in the part of JSON Schema that this API accepts.

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../canonical/json.ts';
import { schemaAdapter } from './adapt-schema.ts';

const adaptSchema = (schema: JsonObject): JsonObject => schemaAdapter()(schema);

test('references are written out, and one that leads to itself ends', () => {
  const tree = { type: 'object', properties: { next: { $ref: '#/$defs/tree' }, name: { $ref: '#/$defs/name' } } };
  const adapted = adaptSchema({ $ref: '#/$defs/tree', $defs: { tree, name: { type: 'string', minLength: 2 } } });
  expect(adapted).toMatchObject({
    type: 'object',
    properties: { name: { type: 'string', minLength: 2 }, next: { properties: { name: { type: 'string' } } } },
  });
  expect(JSON.stringify(adapted)).not.toContain('$');
});

test('TOOL-03 a reference is decoded, and may lead to a member that was described before', () => {
  const name = { type: 'string', description: 'A name.' };
  const properties = {
    first: name,
    again: { $ref: '#/properties/first' },
    other: { $ref: '#/$defs/a~1b%20c' },
  };
  const adapted = adaptSchema({ type: 'object', properties, $defs: { 'a/b c': name } });
  expect(adapted.properties).toEqual({ first: name, again: name, other: name });
});

test('a schema that refers to itself many times does not grow without end', () => {
  const wide = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`p${index}`, { $ref: '#/$defs/n' }]));
  const adapted = adaptSchema({ $ref: '#/$defs/n', $defs: { n: { type: 'object', properties: wide } } });
  expect(JSON.stringify(adapted).length).toBeLessThan(2_000_000);
});

test('however many schemas and references a call has, they do not write a long definition again and again', () => {
  const d = { type: 'object', description: 'x'.repeat(100_000), properties: { x: { $ref: '#/$defs/d' } } };
  const properties = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [`p${index}`, { $ref: '#/$defs/d' }]),
  );
  const adapt = schemaAdapter();
  const schemas = Array.from({ length: 100 }, () => adapt({ type: 'object', properties, $defs: { d } }));
  expect(JSON.stringify(schemas).length).toBeLessThan(10_000_000);
  const twice = { type: 'object', properties: { x: { $ref: '#/$defs/d' }, y: { $ref: '#/$defs/d' } } };
  const small = Array.from({ length: 1_000 }, () => adapt({ $ref: '#/$defs/d', $defs: { d: twice } }));
  expect(JSON.stringify(small).length).toBeLessThan(1_000_000);
});

test('parts of allOf are merged in one pass', () => {
  const allOf = Array.from({ length: 1_900 }, (_, part) => ({
    properties: { [`p${part}`]: { type: 'string' } },
    required: Array.from({ length: 90 }, (_, index) => `p${part + index}`),
  }));
  const { required } = adaptSchema({ allOf });
  expect(required).toHaveLength(1_900);
});

test('TOOL-11 parts that refer to others are written out, and what any part requires is required', () => {
  const size = { type: 'string', enum: ['small', 'large'] };
  const named = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
  const cup = { allOf: [{ $ref: '#/$defs/named' }, { properties: { size }, required: ['size'] }] };
  const properties = {
    size: { allOf: [{ $ref: '#/$defs/size' }], description: 'How big.' },
    cup: { $ref: '#/$defs/cup' },
  };
  expect(adaptSchema({ type: 'object', properties, $defs: { size, named, cup } })).toEqual({
    type: 'object',
    properties: {
      size: { ...size, description: 'How big.' },
      cup: { type: 'object', properties: { name: { type: 'string' }, size }, required: ['name', 'size'] },
    },
  });
  const circle = { allOf: [{ $ref: '#/$defs/circle' }, { $ref: '#/$defs/circle' }] };
  expect(JSON.stringify(adaptSchema({ $ref: '#/$defs/circle', $defs: { circle } })).length).toBeLessThan(1_000);
});

test('choices, constants and bounds that have no place are kept in words', () => {
  expect(
    adaptSchema({
      type: 'object',
      properties: {
        kind: { const: 'a' },
        size: { type: 'integer', enum: [1, 2], exclusiveMinimum: 0, description: 'How big.' },
        either: { oneOf: [{ type: 'string' }, { type: 'number' }] },
        maybe: { anyOf: [{ type: 'string', format: 'email' }, { type: 'null' }] },
        list: { type: 'array', prefixItems: [{ type: 'string' }], uniqueItems: true },
        both: { allOf: [{ type: 'object', properties: { x: { type: 'string' } } }, { required: ['x', 'gone'] }] },
      },
      required: ['kind', 'gone'],
      $schema: 'https://json-schema.org',
    }),
  ).toEqual({
    type: 'object',
    properties: {
      kind: { type: 'string', enum: ['a'] },
      size: { type: 'integer', description: 'How big. (enum: [1,2], exclusiveMinimum: 0)' },
      either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      maybe: { type: 'string', nullable: true, description: '(format: "email")' },
      list: { type: 'array', items: { type: 'string' }, description: '(uniqueItems: true)' },
      both: { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] },
    },
    required: ['kind'],
  });
});

const memberOf = (schema: JsonObject): unknown =>
  (adaptSchema({ type: 'object', properties: { x: schema } }).properties as JsonObject).x;

test('TOOL-01 alternatives stand alone, and each says what they have in common', () => {
  const description = 'How big.';
  const either = [
    { type: 'string', description },
    { type: 'number', description: 'In metres.' },
  ];
  const options = [{ type: 'string' }, { type: 'number', description: 'In metres.' }];
  expect(memberOf({ anyOf: options, description, title: 'Size', default: 1, type: 'string' })).toEqual({
    anyOf: either,
  });
  expect(memberOf({ anyOf: [...options, { type: 'null' }], description })).toEqual({
    anyOf: either.map((option) => ({ ...option, nullable: true })),
  });
  expect(memberOf({ anyOf: [{ type: 'number' }, { type: 'null' }], type: 'number', description })).toEqual({
    type: 'number',
    description,
    nullable: true,
  });
  expect(memberOf({ type: ['array', 'object', 'null'], items: { type: 'string' }, properties: { y: {} } })).toEqual({
    anyOf: [
      { type: 'array', items: { type: 'string' }, nullable: true },
      { type: 'object', properties: { y: expect.anything() }, nullable: true },
    ],
  });
});

test('TOOL-01 an object with alternatives takes in their members', () => {
  const properties = { id: { type: 'string' }, title: { type: 'string' } };
  const anyOf = [{ required: ['title'] }, { properties: { body: { type: 'string' } }, required: ['body'] }];
  expect(memberOf({ type: 'object', properties, required: ['id'], anyOf })).toEqual({
    type: 'object',
    properties: { ...properties, body: { type: 'string' } },
    required: ['id'],
  });
});

test('TOOL-01 members of another type are left out, and formats that the type does not have are words', () => {
  expect(memberOf({ type: 'string', properties: { y: {} }, required: ['y'], items: {}, minimum: 1 })).toEqual({
    type: 'string',
  });
  expect(memberOf({ type: 'string', format: 'int64', minLength: '2' })).toEqual({
    type: 'string',
    description: '(format: "int64")',
  });
  expect(memberOf({ type: 'integer', format: 'int64' })).toEqual({ type: 'integer', format: 'int64' });
  expect(memberOf({ type: 'object', properties: {} })).toEqual({ type: 'object' });
});

test('TOOL-01 an enumeration holds only texts that are not empty', () => {
  expect(memberOf({ type: 'string', enum: ['', 'a'] })).toEqual({ type: 'string', description: '(enum: ["","a"])' });
  expect(memberOf({ type: ['string', 'null'], enum: ['a', null] })).toEqual({
    type: 'string',
    enum: ['a'],
    nullable: true,
  });
  expect(memberOf({ type: 'string', enum: [] })).toEqual({ type: 'string', description: '(enum: [])' });
});

test('TOOL-01 every schema has a type', () => {
  expect(memberOf({ enum: ['a'] })).toEqual({ type: 'string', enum: ['a'] });
  expect(memberOf({ const: 5 })).toEqual({ type: 'number', description: '(const: 5)' });
  expect(memberOf({ items: { type: 'STRING' } })).toEqual({ type: 'array', items: { type: 'string' } });
  expect(memberOf({ additionalProperties: true })).toEqual({ type: 'object' });
  for (const schema of [{}, { type: 'any' }, { anyOf: [{ type: 'null' }] }]) {
    const { anyOf } = memberOf({ ...schema, description: 'A value.' }) as { anyOf: readonly JsonObject[] };
    expect(anyOf.map(({ type }) => type)).toEqual(['string', 'number', 'boolean', 'object', 'array']);
    expect(anyOf.every(({ description }) => description === 'A value.')).toBe(true);
  }
});

test('a long description is not written into each of many alternatives', () => {
  const anyOf = Array.from({ length: 5_000 }, () => ({ type: 'string' }));
  const adapted = adaptSchema({ type: 'object', properties: { a: { description: 'x'.repeat(100_000), anyOf } } });
  expect(JSON.stringify(adapted).length).toBeLessThan(1_500_000);
});
