// A schema whose alternatives are members of one object. Vendors want the parameters of a tool to be an object and
// refuse alternatives beside or instead of its members, which schemas of many tools have: the members of all
// alternatives are offered, and what every one of them requires is required.

import { isJsonObject, type JsonObject, listOrEmpty, objectOrEmpty } from '../canonical/json.ts';
import { stringifyExactJson } from '../platform/exact-json.ts';
import { followPointer } from './schema-pointer.ts';

const CHOICES = ['anyOf', 'oneOf'];
const DEFINITION = /^#\/(?:\$defs|definitions)\/(.+)$/;
/** How often a reference may lead to another, and how deep alternatives may stand in alternatives. */
const STEPS_MAX = 8;
/**
 * How much references may add to a call, as the length of the JSON that is written where they stand. They multiply: a
 * few kilobytes would become gigabytes.
 */
const ADDED_LENGTH_MAX = 1_000_000;

/** For all schemas of a call together. */
export type SchemaBudget = { addedLeft: number };
export const newSchemaBudget = (): SchemaBudget => ({ addedLeft: ADDED_LENGTH_MAX });

/** Makes objects of the parameters of a call's tools; the same object where nothing has to change. */
export function objectSchemas(): (schema: JsonObject) => JsonObject {
  const budget = newSchemaBudget();
  return (schema) => asObject(schema, budget);
}

function asObject(schema: JsonObject, budget: SchemaBudget): JsonObject {
  if (schema.$ref === undefined && isPlain(schema))
    return schema.type === 'object' ? schema : { ...schema, type: 'object' };
  const definitions = new Definitions(schema, budget);
  const { $ref: _reference, allOf: _parts, ...flat } = flattened(schema, (it) => followed(it, definitions));
  return { ...flat, type: 'object' };
}

const isPlain = (schema: JsonObject): boolean => schema.allOf === undefined && !hasChoice(schema);

export const hasChoice = (schema: JsonObject): boolean => CHOICES.some((name) => Array.isArray(schema[name]));

/** What the references of one schema lead to: its definitions, or another place in it. */
export class Definitions {
  readonly #known: JsonObject;
  readonly #root: JsonObject;
  readonly #lengths = new Map<string, number>();
  readonly #budget: SchemaBudget;

  constructor(schema: JsonObject, budget: SchemaBudget) {
    const { definitions, $defs } = schema;
    // Some name them in one place and refer to the other.
    this.#known = { ...objectOrEmpty(definitions), ...objectOrEmpty($defs) };
    this.#root = { ...schema, definitions: this.#known, $defs: this.#known };
    this.#budget = budget;
  }

  /** What a schema refers to. Undefined too where references have added as much as they may. */
  of({ $ref }: JsonObject): JsonObject | undefined {
    if (typeof $ref !== 'string' || this.#budget.addedLeft < 0) return undefined;
    const found = this.#named($ref) ?? followPointer(this.#root, $ref);
    if (found === undefined) return undefined;
    const length = this.#lengths.get($ref) ?? stringifyExactJson(found).length;
    this.#lengths.set($ref, length);
    this.#budget.addedLeft -= length;
    return this.#budget.addedLeft < 0 ? undefined : found;
  }

  /** A definition by its name as it is written: many tools escape nothing. */
  #named(reference: string): JsonObject | undefined {
    const name = DEFINITION.exec(reference)?.[1];
    const found = name !== undefined && Object.hasOwn(this.#known, name) ? this.#known[name] : undefined;
    return isJsonObject(found) ? found : undefined;
  }
}

function followed(schema: JsonObject, definitions: Definitions): JsonObject {
  let found = schema;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const next = definitions.of(found);
    if (next === undefined) break;
    const { $ref: _reference, ...own } = found;
    found = { ...next, ...own };
  }
  return found;
}

type Follow = (schema: JsonObject) => JsonObject;

/** Without its alternatives, whose members it takes in. `follow` gives a schema with what it refers to. */
export const flattened = (schema: JsonObject, follow: Follow): JsonObject => flattenedAt(0, follow(schema), follow);

function flattenedAt(depth: number, { anyOf, oneOf, ...own }: JsonObject, follow: Follow): JsonObject {
  const members = new Members(own);
  const take = (part: JsonObject): readonly unknown[] => {
    const found = follow(part);
    return members.take(isPlain(found) || depth === STEPS_MAX ? found : flattenedAt(depth + 1, found, follow));
  };
  for (const part of objectsIn(own.allOf)) members.require(take(part));
  for (const choice of [anyOf, oneOf]) {
    const required = objectsIn(choice).map((option) => new Set(take(option)));
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
