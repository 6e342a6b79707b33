// A schema whose alternatives are members of one object. Vendors want the parameters of a tool to be an object and
// refuse alternatives beside or instead of its members, which schemas of many tools have: the members of all
// alternatives are offered, and what every one of them requires is required.

import { isJsonObject, type JsonObject, listOrEmpty, objectOrEmpty } from '../canonical/json.ts';
import { stringifyExactJson } from '../platform/exact-json.ts';

const CHOICES = ['anyOf', 'oneOf'];
const REFERENCE = /^#\/(?:\$defs|definitions)\/(.+)$/;
/** How often a reference may lead to another. */
const STEPS_MAX = 8;

/** The parameters of a tool; the same object where nothing has to change. */
export function asObjectSchema(schema: JsonObject): JsonObject {
  const isPlain = schema.$ref === undefined && schema.allOf === undefined && !hasChoice(schema);
  if (isPlain) return schema.type === 'object' ? schema : { ...schema, type: 'object' };
  const definitions = { ...objectOrEmpty(schema.definitions), ...objectOrEmpty(schema.$defs) };
  const { $ref: _reference, allOf: _parts, ...flat } = flattened(schema, (it) => followed(it, definitions));
  return { ...flat, type: 'object' };
}

export const hasChoice = (schema: JsonObject): boolean => CHOICES.some((name) => Array.isArray(schema[name]));

/** The name of a definition in the same document; undefined where it is none. */
export const definitionNamed = ({ $ref }: JsonObject): string | undefined =>
  typeof $ref === 'string' ? REFERENCE.exec($ref)?.[1] : undefined;

function followed(schema: JsonObject, definitions: JsonObject): JsonObject {
  let found = schema;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const name = definitionNamed(found);
    const next = name !== undefined && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
    if (!isJsonObject(next)) break;
    const { $ref: _reference, ...own } = found;
    found = { ...next, ...own };
  }
  return found;
}

/** Without its alternatives, whose members it takes in. `follow` gives a schema with what it refers to. */
export function flattened(schema: JsonObject, follow: (schema: JsonObject) => JsonObject): JsonObject {
  const { anyOf, oneOf, ...own } = follow(schema);
  const members = new Members(own);
  for (const part of objectsIn(own.allOf)) members.require(members.take(follow(part)));
  for (const choice of [anyOf, oneOf]) {
    const required = objectsIn(choice).map((option) => new Set(members.take(follow(option))));
    const [first = [], ...others] = required;
    members.require([...first].filter((name) => others.every((names) => names.has(name))));
  }
  return { ...own, ...members.written };
}

class Members {
  readonly #alternatives = new Map<string, Map<string, unknown>>();
  readonly #required = new Set<unknown>();

  constructor(schema: JsonObject) {
    this.require(this.take(schema));
  }

  /** Takes in the members of a schema and returns what it requires. */
  take({ properties, required }: JsonObject): readonly unknown[] {
    for (const [name, member] of Object.entries(objectOrEmpty(properties))) {
      const known = this.#alternatives.get(name) ?? new Map<string, unknown>();
      this.#alternatives.set(name, known.set(stringifyExactJson(member), member));
    }
    return listOrEmpty(required);
  }

  require(names: readonly unknown[]): void {
    for (const name of names) this.#required.add(name);
  }

  get written(): JsonObject {
    const properties = [...this.#alternatives].map(([name, known]) => {
      const [only, ...others] = known.values();
      return [name, others.length === 0 ? only : { anyOf: [only, ...others] }];
    });
    return {
      ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
      ...(this.#required.size === 0 ? {} : { required: [...this.#required] }),
    };
  }
}

const objectsIn = (value: unknown): readonly JsonObject[] => listOrEmpty(value).filter(isJsonObject);
