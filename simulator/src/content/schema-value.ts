// Makes a value that satisfies a JSON schema, for tool arguments and structured output. The value is always the same
// for the same schema; recursion ends because optional parts are left out once the value is deep.

import { isObject, type JsonObject, numberAt, objectAt, objectsIn, stringAt } from '../json.ts';

const DEPTH_FOR_OPTIONAL = 5;
const DEPTH_MAX = 24;
const STRING_LENGTH_MAX = 10_000;
const ITEMS_MAX = 64;

const FORMATS: Readonly<Record<string, string>> = {
  date: '2025-06-15',
  'date-time': '2025-06-15T12:00:00Z',
  time: '12:00:00Z',
  duration: 'P1D',
  email: 'ada@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
};

// What a property's name suggests; any other gets the capital of France, which reads well in most sentences.
const NAMED_STRINGS: readonly (readonly [RegExp, string])[] = [
  // A coding agent really runs this command.
  [/^(?:cmd|commands?)$/i, 'echo Hello from the simulator'],
  [/country/i, 'France'],
  [/e-?mail/i, 'ada@example.com'],
  [/url|uri|link/i, 'https://example.com/'],
  [/date|day/i, '2025-06-15'],
  [/path|file/i, 'README.md'],
  [/^(?:full_?|first_?|last_?|user_?)?name$/i, 'Ada'],
];

/** For a client that asks for JSON without a schema. */
export const anyObjectSchema: JsonObject = {
  type: 'object',
  properties: { answer: { type: 'string' }, city: { type: 'string' } },
};

type Scope = Readonly<{ root: JsonObject; depth: number; name: string; isBrief: boolean }>;

function resolveReference(reference: string, root: JsonObject): JsonObject {
  let target: unknown = root;
  for (const part of reference.replace(/^#\/?/, '').split('/')) {
    if (part === '') continue;
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    target = isObject(target) ? target[key] : undefined;
  }
  return isObject(target) ? target : {};
}

function stringValue(schema: JsonObject, name: string): string {
  const format = stringAt(schema, 'format');
  const byFormat = format === undefined ? undefined : FORMATS[format];
  const byName = NAMED_STRINGS.find(([pattern]) => pattern.test(name))?.[1];
  const text = byFormat ?? byName ?? 'Paris';
  const padded = text.padEnd(Math.min(numberAt(schema, 'minLength') ?? 0, STRING_LENGTH_MAX), 's');
  return padded.slice(0, numberAt(schema, 'maxLength') ?? padded.length);
}

function numberValue(schema: JsonObject, isInteger: boolean): number {
  const exclusiveMinimum = numberAt(schema, 'exclusiveMinimum');
  const exclusiveMaximum = numberAt(schema, 'exclusiveMaximum');
  const step = numberAt(schema, 'multipleOf') ?? 1;
  const low = numberAt(schema, 'minimum') ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + step);
  const high = numberAt(schema, 'maximum') ?? (exclusiveMaximum === undefined ? undefined : exclusiveMaximum - step);
  let value = 21;
  if (high !== undefined && value > high) value = high;
  if (low !== undefined && value < low) value = low;
  const stepped = Math.ceil(value / step) * step;
  const inside = high !== undefined && stepped > high ? Math.floor(high / step) * step : stepped;
  return isInteger ? Math.trunc(inside) : inside;
}

function arrayValue(schema: JsonObject, scope: Scope): unknown[] {
  const prefix = objectsIn(schema.prefixItems);
  const items = isObject(schema.items) ? schema.items : {};
  const least = numberAt(schema, 'minItems') ?? (scope.depth < DEPTH_FOR_OPTIONAL ? 1 : 0);
  const length = Math.min(Math.max(least, prefix.length), numberAt(schema, 'maxItems') ?? ITEMS_MAX, ITEMS_MAX);
  return Array.from({ length }, (_, index) => valueIn(prefix[index] ?? items, { ...scope, depth: scope.depth + 1 }));
}

function objectValue(schema: JsonObject, scope: Scope): JsonObject {
  const properties = objectAt(schema, 'properties') ?? {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const isBrief = (scope.isBrief && required.size > 0) || scope.depth >= DEPTH_FOR_OPTIONAL;
  const value: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    if (isBrief && !required.has(name)) continue;
    value[name] = valueIn(property, { ...scope, depth: scope.depth + 1, name });
  }
  return value;
}

function typeOf(schema: JsonObject): string {
  const type = Array.isArray(schema.type) ? (schema.type.find((one) => one !== 'null') ?? 'null') : schema.type;
  if (typeof type === 'string') return type;
  if (isObject(schema.properties)) return 'object';
  return schema.items === undefined ? 'string' : 'array';
}

// At depth the last alternative is taken when it is null, because a recursive type ends so.
function pickAlternative(options: readonly JsonObject[], depth: number): JsonObject {
  const nullOption = options.find((option) => option.type === 'null');
  if (nullOption !== undefined && depth >= DEPTH_FOR_OPTIONAL) return nullOption;
  return options.find((option) => option.type !== 'null') ?? {};
}

function valueIn(schema: unknown, scope: Scope): unknown {
  if (!isObject(schema) || scope.depth > DEPTH_MAX) return null;
  const deeper = { ...scope, depth: scope.depth + 1 };
  const reference = stringAt(schema, '$ref');
  if (reference !== undefined) return valueIn(resolveReference(reference, scope.root), deeper);
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0];
  if ('default' in schema) return schema.default;
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0];
  const options = [...objectsIn(schema.anyOf), ...objectsIn(schema.oneOf)];
  if (options.length > 0) return valueIn(pickAlternative(options, scope.depth), deeper);
  const parts = objectsIn(schema.allOf);
  if (parts.length > 0) return mergeParts(schema, parts, scope);
  return valueOfType(schema, scope);
}

function mergeParts(schema: JsonObject, parts: readonly JsonObject[], scope: Scope): unknown {
  const { allOf: _, ...own } = schema;
  const deeper = { ...scope, depth: scope.depth + 1 };
  const values = [own, ...parts].map((part) => valueIn(part, deeper));
  const objects = values.filter(isObject);
  return objects.length > 0 ? Object.assign({}, ...objects) : values.at(-1);
}

function valueOfType(schema: JsonObject, scope: Scope): unknown {
  switch (typeOf(schema)) {
    case 'object':
      return objectValue(schema, scope);
    case 'array':
      return arrayValue(schema, scope);
    case 'number':
      return numberValue(schema, false);
    case 'integer':
      return numberValue(schema, true);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return stringValue(schema, scope.name);
  }
}

export function valueForSchema(schema: unknown): unknown {
  return valueIn(schema, { root: isObject(schema) ? schema : {}, depth: 0, name: '', isBrief: false });
}

/** Arguments for a tool: only the required ones, because an option of a coding agent's tool changes what is done. */
export function argumentsForSchema(schema: unknown): unknown {
  return valueIn(schema, { root: isObject(schema) ? schema : {}, depth: 0, name: '', isBrief: true });
}
