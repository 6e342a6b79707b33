// Helpers for schemas of answers. Answers are described with open objects, because clients must tolerate new fields;
// the tests close them, so that an endpoint cannot send what is not described.

import { type Static, type TSchema, Type } from '@sinclair/typebox';

/** The value that a schema describes, readonly. */
export type Shape<Schema extends TSchema> = Frozen<Static<Schema>>;

type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Frozen<Value[Key]> }
    : Value;

export const text = (description: string) => Type.String({ description });
export const count = (description: string) => Type.Integer({ minimum: 0, description });
export const number = (description: string) => Type.Number({ description });
export const flag = (description: string) => Type.Boolean({ description });
export const usd = (description: string) => Type.Number({ description: `${description} In USD.` });

/** A time in ISO 8601, in UTC. */
export const moment = (description: string) => Type.String({ format: 'date-time', description });

export const oneOf = <const Value extends string>(values: readonly Value[], description: string) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    { description },
  );

/** The description moves to the union, where readers look for it; a named schema keeps its own. */
export function orNull<Schema extends TSchema>(schema: Schema) {
  if (schema.title !== undefined) return Type.Union([schema, Type.Null()]);
  const { description, ...bare } = schema;
  return Type.Union([bare as Schema, Type.Null()], description === undefined ? {} : { description });
}

export const listOf = <Schema extends TSchema>(schema: Schema, description?: string) =>
  Type.Array(schema, description === undefined ? {} : { description });

/** The `next` of a page, to be sent as the query parameter that the route names. */
export const nextPage = (parameter: string) =>
  orNull(text(`The \`${parameter}\` of the page that follows; null on the last one.`));

/** An object with its own name in the document, by which others refer to it. */
export const named = (title: string, description?: string) =>
  description === undefined ? { title } : { title, description };
