// Management bodies, checked against their schema. The first problem is reported with the field's name; a value is
// never repeated, because it may be a password.

import type { Static, TObject } from '@sinclair/typebox';
import { TypeCompiler, type ValueError, ValueErrorType } from '@sinclair/typebox/compiler';
import { ApiError } from '../errors/api-error.ts';
import { readJsonBody } from '../http/body.ts';
import type { Exchange } from '../http/exchange.ts';

export type ReadBody<Body> = (exchange: Exchange) => Promise<Body>;

/** Compiles once; the reader is what a handler keeps. */
export function bodyReader<Schema extends TObject>(schema: Schema): ReadBody<Static<Schema>> {
  const validator = TypeCompiler.Compile(schema);
  return async (exchange) => {
    const body: unknown = await readJsonBody(exchange);
    if (!validator.Check(body)) throw problemOf(validator.Errors(body).First());
    const place = findUnstorable(body);
    if (place === null) return body;
    throw new ApiError('http_400', `${place.join('.')}: holds characters that cannot be kept.`);
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the database's text has no place for NUL, nor for half a character.
const UNSTORABLE = /\u0000|\p{Surrogate}/u;

/** Where a text is that the database would refuse; null when there is none. */
function findUnstorable(value: unknown): readonly string[] | null {
  if (typeof value === 'string') return UNSTORABLE.test(value) ? [] : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, member] of Object.entries(value)) {
    // Names that nobody chose are not repeated.
    if (UNSTORABLE.test(name)) return [];
    const place = findUnstorable(member);
    if (place !== null) return [name, ...place];
  }
  return null;
}

function problemOf(error: ValueError | undefined): ApiError {
  const field = error?.path.slice(1).replaceAll('/', '.') ?? '';
  switch (error?.type) {
    case ValueErrorType.ObjectAdditionalProperties:
      return new ApiError('unsupported_param', `${field}: this field is not known here.`);
    case ValueErrorType.ObjectRequiredProperty:
      return new ApiError('missing_required_field', `${field}: this field is required.`);
    default:
      return new ApiError('http_400', `${field}: must be ${error?.schema.description ?? 'a valid value'}.`);
  }
}
