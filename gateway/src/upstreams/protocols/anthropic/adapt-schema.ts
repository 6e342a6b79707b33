// Adapts an answer's schema to the part of JSON Schema that the API compiles: objects are closed, and bounds are not
// enforced. A bound that must be removed is kept as text in the description, where the model reads it.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import { stringifyExactJson } from '../../../platform/exact-json.ts';

const NESTED_MAPS = new Set(['properties', '$defs', 'definitions']);
const NESTED_LISTS = new Set(['anyOf', 'allOf']);
const REFUSED = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
]);

export function adaptSchema(schema: JsonObject): JsonObject {
  const adapted: JsonObject = {};
  const bounds: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    const isRefused = REFUSED.has(key) || (key === 'minItems' && value !== 0 && value !== 1);
    if (isRefused) bounds.push(`${key}: ${stringifyExactJson(value)}`);
    // The API knows only `anyOf`, and a value that fits exactly one alternative also fits any.
    else if (key === 'oneOf') adapted.anyOf = adaptMember('anyOf', value);
    else adapted[key] = adaptMember(key, value);
  }
  const isObject = [schema.type].flat().includes('object') || isJsonObject(schema.properties);
  if (isObject) adapted.additionalProperties = false;
  if (bounds.length > 0) adapted.description = describeBounds(schema.description, bounds);
  return adapted;
}

function adaptMember(key: string, value: unknown): unknown {
  if (NESTED_MAPS.has(key) && isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, adaptAny(member)]));
  }
  if (NESTED_LISTS.has(key) && Array.isArray(value)) return value.map(adaptAny);
  return key === 'items' ? adaptAny(value) : value;
}

function adaptAny(value: unknown): unknown {
  return isJsonObject(value) ? adaptSchema(value) : value;
}

function describeBounds(description: unknown, bounds: readonly string[]): string {
  const words = typeof description === 'string' && description !== '' ? `${description} ` : '';
  return `${words}(${bounds.join(', ')})`;
}
