// Adapts a schema to the part of JSON Schema that this API takes: a subset of OpenAPI's, without references, with one
// type and a flag for null. What has no place in it is written into the description, so that the model still reads it.

import { isJsonObject, type JsonObject, objectOrEmpty } from '../../../canonical/json.ts';
import { stringifyExactJson } from '../../../platform/exact-json.ts';

const KEPT = new Set([
  'title',
  'description',
  'nullable',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'required',
  'propertyOrdering',
]);
const FORMATS = new Set<unknown>(['float', 'double', 'int32', 'int64', 'enum', 'date-time']);
/** Bounds that the model can follow although the API does not know them. */
const SPOKEN = new Set(['exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'uniqueItems', 'format', 'enum']);
const REFERENCE = /^#\/(?:\$defs|definitions)\/(.+)$/;
/** Deep enough for real schemas; one that refers to itself must end somewhere. */
const DEPTH_MAX = 12;
/** For all schemas of a call together, which are adapted in one go. */
const NODES_MAX = 20_000;
/**
 * How much references may add to a call, as the length of the JSON that is written where they stand. They multiply: a
 * few kilobytes would become gigabytes.
 */
const ADDED_LENGTH_MAX = 1_000_000;

type Budget = { nodesLeft: number; addedLeft: number };
type Context = Readonly<{ budget: Budget; definitions: JsonObject; lengths: Map<string, number> }>;

/** Adapts the schemas of one call. */
export function schemaAdapter(): (schema: JsonObject) => JsonObject {
  const budget = { nodesLeft: NODES_MAX, addedLeft: ADDED_LENGTH_MAX };
  return (schema) => {
    const definitions = { ...objectOrEmpty(schema.definitions), ...objectOrEmpty(schema.$defs) };
    return adapt(schema, { budget, definitions, lengths: new Map() }, 0);
  };
}

function adapt(source: JsonObject, context: Context, depth: number): JsonObject {
  context.budget.nodesLeft -= 1;
  if (depth > DEPTH_MAX || context.budget.nodesLeft < 0) return { type: 'object' };
  const schema = merged(source, context, depth);
  const adapted: JsonObject = { ...typeOf(schema, context, depth) };
  const words: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (KEPT.has(key)) adapted[key] = value;
    else if (key === 'format' && FORMATS.has(value)) adapted.format = value;
    else if ((key === 'enum' && isTextList(value)) || (key === 'const' && typeof value === 'string')) {
      adapted.enum = [value].flat();
      adapted.type = 'string';
    } else if (SPOKEN.has(key) || key === 'const') words.push(`${key}: ${stringifyExactJson(value)}`);
    else if (key === 'properties' && isJsonObject(value)) adapted.properties = adaptMap(value, context, depth);
    else if (key === 'items' && isJsonObject(value)) adapted.items = adapt(value, context, depth + 1);
    else if (key === 'prefixItems') adapted.items ??= adaptTuple(value, context, depth);
  }
  withPresentNames(adapted);
  if (adapted.type === 'array') adapted.items ??= { type: 'string' };
  if (words.length > 0) adapted.description = [adapted.description, `(${words.join(', ')})`].filter(Boolean).join(' ');
  return adapted;
}

/**
 * The referenced schema and all parts of `allOf`, which may refer and consist of parts themselves, merged; the schema's
 * own members win. What any of them requires is required.
 */
function merged(schema: JsonObject, context: Context, depth: number): JsonObject {
  const parts = [referenced(schema, context), ...(Array.isArray(schema.allOf) ? schema.allOf : [])].filter(
    isJsonObject,
  );
  if (parts.length === 0 || depth > DEPTH_MAX) return schema;
  const whole: JsonObject = {};
  const properties: JsonObject = {};
  const required = new Set<unknown>();
  for (const part of [...parts.map((it) => merged(it, context, depth + 1)), schema]) {
    Object.assign(whole, part);
    Object.assign(properties, objectOrEmpty(part.properties));
    for (const name of Array.isArray(part.required) ? part.required : []) required.add(name);
  }
  if (Object.keys(properties).length > 0) whole.properties = properties;
  if (required.size > 0) whole.required = [...required];
  return whole;
}

/** Undefined too where references have added as much as they may. */
function referenced({ $ref }: JsonObject, { budget, definitions, lengths }: Context): unknown {
  const name = typeof $ref === 'string' ? REFERENCE.exec($ref)?.[1] : undefined;
  if (name === undefined || !Object.hasOwn(definitions, name)) return undefined;
  const length = lengths.get(name) ?? stringifyExactJson(definitions[name]).length;
  lengths.set(name, length);
  budget.addedLeft -= length;
  return budget.addedLeft < 0 ? undefined : definitions[name];
}

/** Its type, or its choice of types. */
function typeOf(schema: JsonObject, context: Context, depth: number): JsonObject {
  const types = [schema.type].flat().filter((type): type is string => typeof type === 'string');
  const real = types.filter((type) => type !== 'null');
  const choice = [schema.anyOf, schema.oneOf].find(Array.isArray);
  const isNullable = real.length < types.length ? { nullable: true } : {};
  if (choice !== undefined) return { ...isNullable, ...typeOfChoice(choice.filter(isJsonObject), context, depth) };
  if (real.length > 1) return { ...isNullable, anyOf: real.map((type) => adapt({ type }, context, depth + 1)) };
  const [type = isJsonObject(schema.properties) ? 'object' : undefined] = real;
  return { ...isNullable, ...(type === undefined ? {} : { type }) };
}

function typeOfChoice(options: readonly JsonObject[], context: Context, depth: number): JsonObject {
  const real = options.filter(({ type }) => type !== 'null');
  const isNullable = real.length < options.length ? { nullable: true } : {};
  const [first] = real;
  if (real.length === 1 && first !== undefined) return { ...adapt(first, context, depth + 1), ...isNullable };
  return { ...isNullable, anyOf: real.map((option) => adapt(option, context, depth + 1)) };
}

/** Every place of a tuple may have the type of any. */
function adaptTuple(value: unknown, context: Context, depth: number): JsonObject {
  const options = Array.isArray(value) ? value.filter(isJsonObject) : [];
  return options.length === 0 ? { type: 'string' } : typeOfChoice(options, context, depth);
}

function adaptMap(map: JsonObject, context: Context, depth: number): JsonObject {
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [name, isJsonObject(value) ? adapt(value, context, depth + 1) : {}]),
  );
}

/** A required name that is not a property would be refused. */
function withPresentNames(adapted: JsonObject): void {
  const properties = objectOrEmpty(adapted.properties);
  for (const key of ['required', 'propertyOrdering']) {
    const names: unknown = adapted[key];
    if (names === undefined) continue;
    const present = Array.isArray(names) ? names.filter((name) => Object.hasOwn(properties, String(name))) : [];
    if (present.length > 0) adapted[key] = present;
    else delete adapted[key];
  }
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
}
