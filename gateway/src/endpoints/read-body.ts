// Management bodies, checked against their schema. The first problem is reported with the field's name; a value is
// never repeated, because it may be a password. Unknown fields are ignored, and named in a header.

import type { Static, TObject } from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler, type ValueError, ValueErrorType } from '@sinclair/typebox/compiler';
import { Value } from '@sinclair/typebox/value';
import type { JsonObject } from '../canonical/json.ts';
import { ApiError } from '../errors/api-error.ts';
import { readJsonBody } from '../http/body.ts';
import type { Exchange } from '../http/exchange.ts';

/** `owner` is whose share of memory a large body takes, and whose turns its reading waits for. */
type ReadBody<Body> = (exchange: Exchange, owner?: string) => Promise<Body>;

/** Names of fields that are refused where others that are not known are left out. */
type Refused = Readonly<{
  /** Fields that exist and cannot be changed. */
  fixed?: readonly string[];
  /** What they are called here: a limit that is left out because of its name would be missed too late. */
  calledElsewhere?: Readonly<Record<string, string>>;
}>;

/** Compiles once, for the first body; a handler keeps the reader. */
export function bodyReader<Schema extends TObject>(
  schema: Schema,
  { fixed = [], calledElsewhere = {} }: Refused = {},
): ReadBody<Static<Schema>> {
  let compiled: TypeCheck<Schema> | null = null;
  return async (exchange, owner) => {
    const sent = await readJsonBody(exchange, owner);
    compiled ??= TypeCompiler.Compile(schema);
    const validator = compiled;
    const unchangeable = fixed.find((name) => Object.hasOwn(sent, name));
    if (unchangeable !== undefined) {
      throw new ApiError('unsupported_param', `${unchangeable}: this field cannot be changed.`);
    }
    const misnamed = Object.keys(calledElsewhere).find((name) => Object.hasOwn(sent, name));
    if (misnamed !== undefined) {
      throw new ApiError('unsupported_param', `${misnamed}: is called ${calledElsewhere[misnamed]} here.`);
    }
    const body: unknown = validator.Check(sent) ? sent : withoutUnknown(exchange, schema, sent);
    if (!validator.Check(body)) throw problemOf(validator.Errors(body).First());
    const place = findUnstorable(body);
    if (place === null) return body;
    throw new ApiError('http_400', `${place.join('.')}: holds characters that cannot be kept.`);
  };
}

const IGNORED_FIELDS = 'X-Tollgate-Ignored-Fields';
const IGNORED_NAMES_MAX = 10;

/** The known members of a body, at every depth; the answer names those left out at the outermost. */
function withoutUnknown(exchange: Exchange, schema: TObject, sent: JsonObject): unknown {
  const known: unknown = Value.Clean(schema, structuredClone(sent));
  const ignored = Object.keys(sent).filter((name) => !Object.hasOwn(schema.properties, name));
  // Only names that may be in a header.
  const names = ignored.filter((name) => /^[\w.-]{1,64}$/.test(name)).slice(0, IGNORED_NAMES_MAX);
  if (names.length > 0) exchange.headers.push(IGNORED_FIELDS, names.join(', '));
  return known;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the database's text has no place for NUL, nor for half a character.
const UNSTORABLE = /\u0000|\p{Surrogate}/u;

/** Where a text is that the database would refuse; null when there is none. */
function findUnstorable(value: unknown): readonly string[] | null {
  if (typeof value === 'string') return UNSTORABLE.test(value) ? [] : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, member] of Object.entries(value)) {
    // Names that the caller made up are not repeated.
    if (UNSTORABLE.test(name)) return [];
    const place = findUnstorable(member);
    if (place !== null) return [name, ...place];
  }
  return null;
}

function problemOf(error: ValueError | undefined): ApiError {
  const field = error?.path.slice(1).replaceAll('/', '.') ?? '';
  switch (error?.type) {
    case ValueErrorType.ObjectRequiredProperty:
      return new ApiError('missing_required_field', `${field}: this field is required.`);
    default:
      return new ApiError('http_400', `${field}: must be ${error?.schema.description ?? 'a valid value'}.`);
  }
}
