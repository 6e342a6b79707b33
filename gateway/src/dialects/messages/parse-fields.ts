// The fields that are checked by themselves: name, then what a value must be. Null means absent. Fields that are not in
// the table are accepted, and of those that are, only members with a fixed meaning are checked.

import { isJsonObject, isSet, type JsonObject } from '../../canonical/json.ts';
import { ApiError } from '../../errors/api-error.ts';
import { refuseField } from '../refuse.ts';

type FieldCheck = (value: unknown, field: string) => void;

const STOP_SEQUENCES_MAX = 64;
/** Clients that do not know a model send far more than it can produce; this only keeps sums exact. */
const TOKEN_LIMIT_MAX = 1_000_000_000;

const checks = new Map<string, FieldCheck>([
  ['max_tokens', checkTokenLimit],
  ['stream', checkBoolean],
  ['temperature', numberWithin(0, 2)],
  ['top_p', numberWithin(0, 1)],
  ['top_k', checkWholeNumber],
  ['stop_sequences', checkStopSequences],
  ['metadata', checkMetadata],
  ['thinking', checkThinking],
  ['output_config', checkOutputConfig],
  ['output_format', checkFormat],
  ['context_management', checkObject],
]);

export function checkField(field: string, value: unknown): void {
  if (value !== null && value !== undefined) checks.get(field)?.(value, field);
}

/** Only for a checked body. */
export function isThinkingAsked(body: JsonObject): boolean {
  const { thinking } = body;
  return isJsonObject(thinking) && (thinking.type === 'enabled' || thinking.type === 'adaptive');
}

export function hasResponseSchema(body: JsonObject): boolean {
  return responseFormatOf(body)?.type === 'json_schema';
}

/** The schema of a structured answer, under its newer or its older name. */
export function responseFormatOf(body: JsonObject): JsonObject | null {
  const { output_config: config, output_format: older } = body;
  if (isJsonObject(config) && isJsonObject(config.format)) return config.format;
  return isJsonObject(older) ? older : null;
}

function checkTokenLimit(value: unknown, field: string): void {
  if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > TOKEN_LIMIT_MAX) {
    throw new ApiError('max_tokens_invalid', `${field} must be a positive integer of at most ${TOKEN_LIMIT_MAX}.`);
  }
}

function checkBoolean(value: unknown, field: string): void {
  if (typeof value !== 'boolean') throw refuseField(field, 'must be a boolean');
}

function checkString(value: unknown, field: string): void {
  if (typeof value !== 'string') throw refuseField(field, 'must be a string');
}

function checkObject(value: unknown, field: string): asserts value is JsonObject {
  if (!isJsonObject(value)) throw refuseField(field, 'must be an object');
}

function numberWithin(min: number, max: number): FieldCheck {
  return (value, field) => {
    if (typeof value !== 'number' || !(value >= min && value <= max)) {
      throw refuseField(field, `must be a number from ${min} to ${max}`);
    }
  };
}

function checkWholeNumber(value: unknown, field: string): void {
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw refuseField(field, 'must be an integer that is not negative');
  }
}

function checkStopSequences(value: unknown, field: string): void {
  const isList = Array.isArray(value) && value.length <= STOP_SEQUENCES_MAX;
  if (!isList || !value.every((item) => typeof item === 'string')) {
    throw refuseField(field, `must be an array of at most ${STOP_SEQUENCES_MAX} strings`);
  }
}

/** Agents put a whole JSON document into the user id, so only its type is checked. */
function checkMetadata(value: unknown, field: string): void {
  checkObject(value, field);
  if (isSet(value.user_id)) checkString(value.user_id, `${field}.user_id`);
}

function checkThinking(value: unknown, field: string): void {
  checkObject(value, field);
  checkString(value.type, `${field}.type`);
  if (isSet(value.budget_tokens)) checkWholeNumber(value.budget_tokens, `${field}.budget_tokens`);
}

/** An unknown effort is accepted, because clients send new ones before we know them. */
function checkOutputConfig(value: unknown, field: string): void {
  checkObject(value, field);
  if (isSet(value.effort)) checkString(value.effort, `${field}.effort`);
  if (isSet(value.format)) checkFormat(value.format, `${field}.format`);
}

function checkFormat(value: unknown, field: string): void {
  checkObject(value, field);
  checkString(value.type, `${field}.type`);
  if (value.type === 'json_schema' && !isJsonObject(value.schema)) {
    throw new ApiError('invalid_response_format_schema', `${field}.schema must be a JSON Schema object.`);
  }
}
