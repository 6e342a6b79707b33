// The members that a schema may have by its type. The API refuses a member that belongs to another type, and a schema
// without a type; an enumeration may hold only texts that are not empty.

import { isFilled, type JsonObject, listOrEmpty } from '../../../canonical/json.ts';
import { stringifyExactJson } from '../../../platform/exact-json.ts';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number';
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isFlag: Check = (value) => typeof value === 'boolean';
const isList: Check = Array.isArray;

const COMMON: ReadonlyMap<string, Check> = new Map([
  ['title', isText],
  ['nullable', isFlag],
]);
const BOUNDS: ReadonlyMap<string, Check> = new Map([
  ['minimum', isNumber],
  ['maximum', isNumber],
]);
const BY_TYPE: ReadonlyMap<string, ReadonlyMap<string, Check>> = new Map([
  [
    'object',
    new Map([
      ['required', isList],
      ['propertyOrdering', isList],
      ['minProperties', isCount],
      ['maxProperties', isCount],
    ]),
  ],
  [
    'array',
    new Map([
      ['minItems', isCount],
      ['maxItems', isCount],
    ]),
  ],
  [
    'string',
    new Map([
      ['minLength', isCount],
      ['maxLength', isCount],
      ['pattern', isText],
    ]),
  ],
  ['number', BOUNDS],
  ['integer', BOUNDS],
]);
const TYPES: ReadonlySet<string> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean']);
const FORMATS: ReadonlyMap<string, ReadonlySet<unknown>> = new Map([
  ['string', new Set<unknown>(['enum', 'date-time'])],
  ['number', new Set<unknown>(['float', 'double'])],
  ['integer', new Set<unknown>(['int32', 'int64'])],
]);
/** Bounds that the model can follow although the API does not know them. */
const SPOKEN = ['exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'uniqueItems'];

/** For a schema that says nothing of what it takes. */
export const ANYTHING: readonly JsonObject[] = [
  ...['string', 'number', 'boolean', 'object'].map((type) => ({ type })),
  { type: 'array', items: { type: 'string' } },
];

/** All but the nested schemas. */
export function fitMembers(schema: JsonObject, type: string): JsonObject {
  const fitted: JsonObject = {};
  const own = BY_TYPE.get(type);
  const words: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if ((own?.get(key) ?? COMMON.get(key))?.(value) === true) fitted[key] = value;
    else if (key === 'format' && FORMATS.get(type)?.has(value) === true) fitted.format = value;
    else if (key === 'enum' || key === 'const') fitValues(key, value, type, { fitted, words });
    else if (SPOKEN.includes(key) || key === 'format') words.push(`${key}: ${stringifyExactJson(value)}`);
  }
  const { description } = schema;
  const said = [
    ...(isFilled(description) ? [description] : []),
    ...(words.length > 0 ? [`(${words.join(', ')})`] : []),
  ];
  return said.length === 0 ? fitted : { ...fitted, description: said.join(' ') };
}

type Writing = Readonly<{ fitted: JsonObject; words: string[] }>;

/** Null among the values means that it may be null; any others but texts are put into words. */
function fitValues(key: string, value: unknown, type: string, { fitted, words }: Writing): void {
  const values = key === 'const' ? [value] : listOrEmpty(value);
  const real = values.filter((it) => it !== null);
  if (type !== 'string' || real.length === 0 || !real.every(isFilled))
    words.push(`${key}: ${stringifyExactJson(value)}`);
  else fitted.enum = real;
  if (real.length < values.length && real.length > 0) fitted.nullable = true;
}

/** Some write types in capitals, as this API does itself. A word that is no type says nothing. */
export function readTypes({ type }: JsonObject): Readonly<{ types: readonly string[]; isNullable: boolean }> {
  const words = [type].flat().map((word) => (typeof word === 'string' ? word.toLowerCase() : ''));
  return { types: [...new Set(words)].filter((word) => TYPES.has(word)), isNullable: words.includes('null') };
}

const HINTS: readonly (readonly [string, string])[] = [
  ['properties', 'object'],
  ['additionalProperties', 'object'],
  ['items', 'array'],
  ['prefixItems', 'array'],
  ['minItems', 'array'],
  ['minLength', 'string'],
  ['maxLength', 'string'],
  ['pattern', 'string'],
  ['format', 'string'],
  ['minimum', 'number'],
  ['maximum', 'number'],
];

/** What a schema without a type means; null where it may be anything. */
export function inferredType(schema: JsonObject): string | null {
  const values = [...listOrEmpty(schema.enum), ...('const' in schema ? [schema.const] : [])].filter(
    (it) => it !== null,
  );
  const kinds = new Set(values.map((value) => typeof value));
  const [kind] = kinds;
  if (kinds.size === 1 && (kind === 'string' || kind === 'number' || kind === 'boolean')) return kind;
  return HINTS.find(([name]) => name in schema)?.[1] ?? null;
}
