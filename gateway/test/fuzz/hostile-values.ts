// JSON bodies that are almost right: the body that a route describes, with some parts replaced by values that no
// ordinary client sends. Schemas say which members there are, so that a hostile value is in a place that is read.

import { Kind, type TSchema } from '@sinclair/typebox';
import type { Random } from './mutate.ts';

const LONG = 'x'.repeat(5_000);

const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 0.5, 1e308, -1e308, 2 ** 53, 2 ** 63, Number.MIN_VALUE],
  ...[
    '',
    ' ',
    '\u0000',
    '\ud800',
    '\u202e',
    LONG,
    '1',
    '-1',
    '1e3',
    '__proto__',
    '../../etc/passwd',
    "'; drop table users; --",
  ],
  ...[
    'https://evil.example/',
    'data:image/png;base64,AAAA',
    '2026-02-30',
    '9999-12-31T23:59:59.999Z',
    '%00',
    '$HOME',
    '💥',
  ],
  ...[[], {}, [[]], [null], [{}], { type: 'x' }, { length: 1e9 }, { toString: 1 }, { valueOf: 1 }],
  Array.from({ length: 300 }, () => 'x'),
  Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, index])),
];

const DEPTH_MAX = 6;

/** A value that the schema accepts, or nearly; whatever the schema leaves open is chosen at random. */
export function valueFor(schema: TSchema, random: Random, depth = 0): unknown {
  if (depth > DEPTH_MAX) return null;
  const of = (inner: TSchema): unknown => valueFor(inner, random, depth + 1);
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.anyOf)) return of(random.pick(schema.anyOf as TSchema[]));
  if (Array.isArray(schema.allOf)) return Object.assign({}, ...(schema.allOf as TSchema[]).map(of));
  switch (schema.type) {
    case 'object': {
      const properties = Object.entries((schema.properties ?? {}) as Record<string, TSchema>);
      const required = new Set((schema.required ?? []) as string[]);
      const kept = properties.filter(([name]) => required.has(name) || random.below(3) === 0);
      return Object.fromEntries(kept.map(([name, inner]) => [name, of(inner)]));
    }
    case 'array':
      return Array.from({ length: random.below(3) }, () => of((schema.items ?? { [Kind]: 'Unknown' }) as TSchema));
    case 'integer':
    case 'number':
      return random.pick([1, 0, 2, 5, 100]);
    case 'boolean':
      return random.below(2) === 0;
    case 'string':
      return random.pick(['hello', 'openai/test', 'user', 'standard', '2026-01-31', 'a@example.test']);
    default:
      return random.pick(VALUES);
  }
}

/** The same value with hostile ones in some places. */
export function spoil(value: unknown, random: Random): unknown {
  if (random.below(8) === 0) return random.pick(VALUES);
  if (Array.isArray(value)) return value.map((item) => spoil(item, random));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(() => random.below(12) !== 0);
  const spoiled = entries.map(([name, inner]) => [name, spoil(inner, random)] as const);
  return Object.fromEntries(random.below(10) === 0 ? [...spoiled, ['surprise', random.pick(VALUES)]] : spoiled);
}
