// Adapts a schema to the part of JSON Schema that this API takes: a subset of OpenAPI's, without references, with one
// type and a flag for null, and with alternatives that stand alone. What has no place in it is written into the
// description, so that the model still reads it.

import { isFilled, isJsonObject, type JsonObject, objectOrEmpty } from '../../../canonical/json.ts';
import { Definitions, flattened, hasChoice, newSchemaBudget, type SchemaBudget } from '../../object-schema.ts';
import { ANYTHING, fitMembers, inferredType, readTypes } from './schema-members.ts';

/** Deep enough for real schemas; one that refers to itself must end somewhere. */
const DEPTH_MAX = 12;
/** For all schemas of a call together, which are adapted in one go. */
const NODES_MAX = 20_000;

type Context = Readonly<{ budget: SchemaBudget & { nodesLeft: number }; definitions: Definitions }>;

/** Adapts the schemas of one call. */
export function schemaAdapter(): (schema: JsonObject) => JsonObject {
  const budget = { ...newSchemaBudget(), nodesLeft: NODES_MAX };
  return (schema) => adapt(schema, { budget, definitions: new Definitions(schema, budget) }, 0);
}

function adapt(source: JsonObject, context: Context, depth: number): JsonObject {
  context.budget.nodesLeft -= 1;
  if (depth > DEPTH_MAX || context.budget.nodesLeft < 0) return { type: 'object' };
  const whole = merged(source, context, depth);
  // An object that has members of its own takes in those of its alternatives.
  const isObject = isJsonObject(whole.properties) && hasChoice(whole);
  const schema = isObject ? flattened(whole, (it) => merged(it, context, depth)) : whole;
  const { types: real, isNullable } = readTypes(schema);
  const nullable = isNullable ? { nullable: true } : {};
  const choice = [schema.anyOf, schema.oneOf].find(Array.isArray)?.filter(isJsonObject) ?? [];
  if (choice.length > 0) return adaptChoice({ ...schema, ...nullable }, choice, context, depth);
  if (real.length > 1) {
    const options = real.map((type) => adaptTyped(schema, type, context, depth));
    return alternatives({ ...schema, ...nullable }, options, context);
  }
  const type = real[0] ?? inferredType(schema);
  if (type === null) return alternatives({ ...schema, ...nullable }, ANYTHING, context);
  return { ...adaptTyped(schema, type, context, depth), ...nullable };
}

/** A choice between a schema and nothing is that schema, which may be null. */
function adaptChoice(schema: JsonObject, choice: readonly JsonObject[], context: Context, depth: number): JsonObject {
  const real = choice.filter(({ type }) => type !== 'null');
  const nullable = real.length < choice.length || schema.nullable === true ? { nullable: true } : {};
  const [first, ...others] = real;
  if (first !== undefined && others.length === 0) {
    const { anyOf: _any, oneOf: _one, type: _type, ...own } = schema;
    return { ...adapt({ ...first, ...own }, context, depth + 1), ...nullable };
  }
  // Nothing but null is no choice here.
  const options = first === undefined ? ANYTHING : real.map((option) => adapt(option, context, depth + 1));
  return alternatives({ ...schema, ...nullable }, options, context);
}

/** Nothing may stand beside alternatives, so each says what all of them have in common, as long as there is room. */
function alternatives(schema: JsonObject, options: readonly JsonObject[], { budget }: Context): JsonObject {
  const { description, nullable } = schema;
  const single = options.flatMap((option) => (Array.isArray(option.anyOf) ? option.anyOf : [option]));
  const isDescribed = isFilled(description);
  if (isDescribed) budget.addedLeft -= description.length * single.length;
  const common: JsonObject = {
    ...(isDescribed && budget.addedLeft >= 0 ? { description } : {}),
    ...(nullable === true ? { nullable: true } : {}),
  };
  return { anyOf: single.map((option: JsonObject) => ({ ...common, ...option })) };
}

function adaptTyped(schema: JsonObject, type: string, context: Context, depth: number): JsonObject {
  const adapted: JsonObject = { type, ...fitMembers(schema, type) };
  const { properties, items, prefixItems } = schema;
  if (type === 'object' && isJsonObject(properties) && Object.keys(properties).length > 0) {
    adapted.properties = adaptMap(properties, context, depth);
  }
  if (type === 'array') {
    adapted.items = isJsonObject(items)
      ? adapt(items, context, depth + 1)
      : adaptTuple(prefixItems ?? items, context, depth);
  }
  withPresentNames(adapted);
  return adapted;
}

/**
 * The referenced schema and all parts of `allOf`, which may refer and consist of parts themselves, merged; the schema's
 * own members win. What any of them requires is required.
 */
function merged(schema: JsonObject, context: Context, depth: number): JsonObject {
  const parts = [context.definitions.of(schema), ...(Array.isArray(schema.allOf) ? schema.allOf : [])].filter(
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
  // They are written in, and must not be again.
  delete whole.allOf;
  delete whole.$ref;
  return whole;
}

/** Every place of a tuple may have the type of any. */
function adaptTuple(value: unknown, context: Context, depth: number): JsonObject {
  const options = Array.isArray(value) ? value.filter(isJsonObject) : [];
  return options.length === 0 ? { type: 'string' } : adapt({ anyOf: options }, context, depth + 1);
}

function adaptMap(map: JsonObject, context: Context, depth: number): JsonObject {
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [name, adapt(objectOrEmpty(value), context, depth + 1)]),
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
