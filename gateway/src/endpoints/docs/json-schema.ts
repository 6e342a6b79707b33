// Turns the contract's schemas into the JSON Schema of the document. They are the same except for four conventions: a
// union of words becomes an enum, a record becomes additional properties, a schema with a title is written once under
// that name and referred to, and the words that end a message ("must be …") become a sentence.

import type { TSchema } from '@sinclair/typebox';
import { assert } from '../../platform/assert.ts';

export type JsonSchema = Readonly<{ [member: string]: unknown }>;

export type SchemaWriter = Readonly<{
  write(schema: TSchema): JsonSchema;
  /** The schemas that have been referred to, by name. */
  components(): Readonly<Record<string, JsonSchema>>;
}>;

export const COMPONENTS = '#/components/schemas/';

export function createSchemaWriter(): SchemaWriter {
  const components = new Map<string, JsonSchema>();
  const sources = new Map<string, string>();

  const write = (schema: TSchema): JsonSchema => {
    const { title, ...rest } = schema;
    if (title === undefined) return plain(rest);
    const source = JSON.stringify(rest);
    const known = sources.get(title);
    assert(known === undefined || known === source, `two schemas are called ${title}`);
    if (known === undefined) {
      // Noted before it is written, so that a recursive schema ends.
      sources.set(title, source);
      components.set(title, plain(rest));
    }
    return { $ref: COMPONENTS + title };
  };

  const plain = (schema: Readonly<Record<string, unknown>>): JsonSchema => {
    const words = wordsOf(schema.anyOf);
    if (words !== null) return { ...describedBy(schema), type: 'string', enum: words };
    const written: Record<string, unknown> = {};
    for (const [member, value] of Object.entries(schema)) Object.assign(written, writeMember(member, value));
    return written;
  };

  const writeMember = (member: string, value: unknown): JsonSchema => {
    switch (member) {
      case 'properties':
        return { properties: mapValues(value as Readonly<Record<string, TSchema>>, write) };
      case 'patternProperties':
        return {
          additionalProperties: Object.values(value as Readonly<Record<string, TSchema>>).map(write)[0] ?? true,
        };
      case 'items':
        return { items: write(value as TSchema) };
      case 'anyOf':
        return { anyOf: (value as readonly TSchema[]).map(write) };
      case 'additionalProperties':
        // Unknown members are ignored in requests and may be added to answers, so nothing is excluded.
        if (value === false) return {};
        return { additionalProperties: typeof value === 'object' ? write(value as TSchema) : value };
      case 'description':
        return { description: sentenceOf(String(value)) };
      default:
        return { [member]: value };
    }
  };

  return {
    write,
    components: () => Object.fromEntries([...components].sort(([one], [other]) => one.localeCompare(other))),
  };
}

const describedBy = ({ description }: Readonly<Record<string, unknown>>): JsonSchema =>
  description === undefined ? {} : { description: sentenceOf(String(description)) };

/** What a field must be is written as the end of an error message, so it begins in lower case and has no full stop. */
function sentenceOf(description: string): string {
  const begun = description.charAt(0).toUpperCase() + description.slice(1);
  return begun.endsWith('.') ? begun : `${begun}.`;
}

/** Null unless every alternative is one word. */
function wordsOf(choices: unknown): readonly string[] | null {
  if (!Array.isArray(choices)) return null;
  const words = choices.map((choice: TSchema) => choice.const);
  return words.every((word) => typeof word === 'string') ? words : null;
}

function mapValues<Value, Mapped>(
  object: Readonly<Record<string, Value>>,
  map: (value: Value) => Mapped,
): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));
}
