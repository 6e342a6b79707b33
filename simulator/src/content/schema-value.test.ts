// A made-up value must satisfy the schema it was made for; zod writes the schemas and judges the values.

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { argumentsForSchema, valueForSchema } from './schema-value.ts';

const Tree: z.ZodType = z.object({ name: z.string(), children: z.array(z.lazy(() => Tree)) });
const List: z.ZodType = z.object({ head: z.number(), tail: z.lazy(() => List).nullable() });

const schemas: readonly (readonly [string, z.ZodType])[] = [
  ['scalars', z.object({ s: z.string(), n: z.number(), i: z.int(), b: z.boolean(), z: z.null() })],
  [
    'bounds',
    z.object({ low: z.number().min(100), high: z.int().max(3), step: z.int().multipleOf(5), over: z.number().gt(30) }),
  ],
  ['lengths', z.object({ long: z.string().min(20), short: z.string().max(2), many: z.array(z.string()).min(3) })],
  ['formats', z.object({ at: z.iso.datetime(), day: z.iso.date(), mail: z.email(), link: z.url(), id: z.uuid() })],
  ['choices', z.object({ kind: z.enum(['a', 'b']), only: z.literal('x'), either: z.union([z.number(), z.string()]) })],
  ['nullable and optional', z.object({ maybe: z.string().nullable(), perhaps: z.number().optional() })],
  [
    'tuples and nesting',
    z.object({ pair: z.tuple([z.string(), z.number()]), deep: z.object({ a: z.object({ b: z.int() }) }) }),
  ],
  ['intersections', z.intersection(z.object({ a: z.string() }), z.object({ b: z.number() }))],
  ['a recursive tree', Tree],
  ['a recursive list', List],
];

test.each(schemas)('%s', (_, schema) => {
  const value = valueForSchema(z.toJSONSchema(schema));
  expect(schema.safeParse(value).error).toBeUndefined();
});

describe('names and defaults', () => {
  test('suggest the value of a string', () => {
    const properties = { city: { type: 'string' }, email: { type: 'string' }, unit: { type: 'string', default: 'C' } };
    expect(valueForSchema({ type: 'object', properties })).toEqual({
      city: 'Paris',
      email: 'ada@example.com',
      unit: 'C',
    });
  });

  test('a reference to nowhere, a schema that is none, and a circle all end', () => {
    expect(valueForSchema({ $ref: '#/$defs/none' })).toBe('Paris');
    expect(valueForSchema('no schema')).toBeNull();
    expect(valueForSchema({ $ref: '#' })).toBeNull();
    expect(valueForSchema({ $ref: '#/%zz' })).toBe('Paris');
    expect(valueForSchema({ type: 'string', minLength: 1e15 })).toHaveLength(10_000);
  });
});

describe('arguments of a tool', () => {
  test('leave out what is optional, because an option of an agent’s tool changes what is done', () => {
    const properties = { command: { type: 'string' }, run_in_background: { type: 'boolean' } };
    const schema = { type: 'object', properties, required: ['command'] };
    expect(argumentsForSchema(schema)).toEqual({ command: 'echo Hello from the simulator' });
    expect(argumentsForSchema({ type: 'object', properties })).toHaveProperty('run_in_background');
  });
});
