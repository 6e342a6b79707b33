// Parameters of tools whose schema has alternatives at its top.

import { expect, test } from 'vitest';
import { objectSchemas } from './object-schema.ts';

const text = { type: 'string' };
const asObjectSchema = objectSchemas();

test('TOOL-01 an object stays as it is, and what is none becomes one', () => {
  const schema = { type: 'object', properties: { a: text } };
  expect(asObjectSchema(schema)).toBe(schema);
  for (const type of [undefined, null, ['object', 'null'], 'string']) {
    expect(asObjectSchema({ type, properties: { a: text } })).toEqual(schema);
  }
});

test('TOOL-01 members of all alternatives are offered, and those that every one requires are required', () => {
  const fetch = { properties: { kind: { const: 'fetch' }, url: text }, required: ['kind', 'url'] };
  const search = { properties: { kind: { const: 'search' }, words: text }, required: ['kind', 'words'] };
  const properties = { kind: { anyOf: [{ const: 'fetch' }, { const: 'search' }] }, url: text, words: text };
  const flat = { type: 'object', properties, required: ['kind'] };
  expect(asObjectSchema({ oneOf: [fetch, search] })).toEqual(flat);
  const $defs = { fetch, search, either: { anyOf: [{ $ref: '#/$defs/fetch' }, { $ref: '#/$defs/search' }] } };
  expect(asObjectSchema({ $ref: '#/$defs/either', $defs })).toEqual({ ...flat, $defs });
});

test('TOOL-01 alternatives among alternatives and parts are taken in, too', () => {
  const named = { properties: { name: text }, required: ['name'] };
  const sized = { properties: { size: text }, required: ['size'] };
  const $defs = { either: { oneOf: [named, { allOf: [named, sized] }] } };
  expect(
    asObjectSchema({ anyOf: [{ $ref: '#/$defs/either' }, { allOf: [sized, { anyOf: [named] }] }], $defs }),
  ).toEqual({
    type: 'object',
    properties: { name: text, size: text },
    required: ['name'],
    $defs,
  });
});

test('a circle of parts that multiplies ends soon', () => {
  let reads = 0;
  const parts = { allOf: Array.from({ length: 20 }, () => ({ $ref: '#/$defs/circle' })), properties: { a: text } };
  const circle = new Proxy(parts, {
    get: (target, name, receiver) => {
      if (name === 'properties') reads += 1;
      return Reflect.get(target, name, receiver);
    },
  });
  const asObject = objectSchemas();
  for (let count = 0; count < 128; count += 1) {
    expect(asObject({ $ref: '#/$defs/circle', $defs: { circle } })).toMatchObject({ type: 'object' });
  }
  expect(reads).toBeLessThan(10_000);
});

test('TOOL-01 a wish for at least one of its members leaves an object as it is', () => {
  const object = { type: 'object', properties: { id: text, title: text, body: text }, required: ['id'] };
  const anyOf = [{ required: ['title'] }, { required: ['body'] }];
  expect(asObjectSchema({ ...object, anyOf })).toEqual(object);
});

test('TOOL-01 what any part requires is required, and a circle ends', () => {
  const named = { properties: { name: text }, required: ['name'] };
  const sized = { properties: { size: text }, required: ['size'] };
  expect(asObjectSchema({ allOf: [{ $ref: '#/definitions/named' }, sized], definitions: { named } })).toEqual({
    type: 'object',
    properties: { name: text, size: text },
    required: ['name', 'size'],
    definitions: { named },
  });
  const $defs = { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } };
  expect(asObjectSchema({ $ref: '#/$defs/a', $defs })).toEqual({ type: 'object', $defs });
});

test('alternatives that all refer to one large definition are not each worked through', () => {
  const many = 3_000;
  const properties = Object.fromEntries(Array.from({ length: many }, (_, index) => [`p${index}`, text]));
  const $defs = { large: { properties, required: Object.keys(properties) } };
  const anyOf = Array.from({ length: many }, () => ({ $ref: '#/$defs/large' }));
  let reads = 0;
  const watched = new Proxy($defs.large, {
    get: (target, name, receiver) => {
      if (name === 'properties') reads += 1;
      return Reflect.get(target, name, receiver);
    },
  });
  const flat = objectSchemas()({ $defs: { large: watched }, anyOf });
  expect(Object.keys(flat.properties as object)).toHaveLength(many);
  expect(reads).toBeLessThan(50);
});

test('TOOL-03 references are decoded, and lead to any place in the schema', () => {
  const named = { properties: { name: text }, required: ['name'] };
  const flat = { type: 'object', ...named };
  const $defs = { 'Page/Named thing': named };
  expect(asObjectSchema({ $ref: '#/$defs/Page~1Named%20thing', $defs })).toEqual({ ...flat, $defs });
  // As some write it, with nothing escaped.
  expect(asObjectSchema({ $ref: '#/$defs/Page/Named thing', $defs })).toEqual({ ...flat, $defs });
  const inner = { type: 'object', ...named };
  expect(asObjectSchema({ properties: { inner }, allOf: [{ $ref: '#/properties/inner' }] })).toEqual({
    type: 'object',
    properties: { inner, name: text },
    required: ['name'],
  });
});
