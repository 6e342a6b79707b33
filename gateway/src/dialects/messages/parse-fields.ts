// The fields that are checked by themselves: name, then what a value must be. Null means absent. Fields that are not in
// the table are accepted, and of those that are, only members with a fixed meaning are checked.

import { isJsonObject, isSet, type JsonObject } from '../../canonical/json.ts';
import { ApiError } from '../../errors/api-error.ts';
import {
  checkBoolean,
  checkObject,
  checkString,
  checkTokenLimit,
  checkWholeNumber,
  type FieldCheck,
  numberWithin,
} from '../field-checks.ts';
import { refuseField } from '../refuse.ts';

const STOP_SEQUENCES_MAX = 64;

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
  if (isSet(value)) checks.get(field)?.(value, field);
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
