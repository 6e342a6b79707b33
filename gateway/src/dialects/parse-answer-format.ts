// Checks what form the answer's text shall have. Two dialects ask for it alike, under names of their own.

import { isFilled, isJsonObject, isSet, type JsonObject } from '../canonical/json.ts';
import { ApiError } from '../errors/api-error.ts';
import { refuseField } from './refuse.ts';

/**
 * Returns whether the model must be able to hold to a form; plain text needs nothing. `field` is the name that callers
 * know it by, and `schemaField` the place of the schema inside of it where that is not the format itself.
 */
export function parseAnswerFormat(format: unknown, field: string, schemaField: string | null = null): boolean {
  if (format === undefined || format === null) return false;
  if (!isJsonObject(format)) throw refuseField(field, 'must be an object');
  switch (format.type) {
    case 'text':
      return false;
    case 'json_object':
      return true;
    case 'json_schema':
      if (schemaField === null) checkSchema(format, field);
      else checkDefinition(format[schemaField], `${field}.${schemaField}`);
      return true;
    default:
      throw invalid(`${field}.type must be text, json_object or json_schema.`);
  }
}

function checkDefinition(definition: unknown, field: string): void {
  if (!isJsonObject(definition)) throw invalid(`${field} is required and must be an object.`);
  checkSchema(definition, field);
}

function checkSchema({ name, schema, strict }: JsonObject, field: string): void {
  if (!isFilled(name)) throw invalid(`${field}.name is required and must be a string.`);
  if (!isJsonObject(schema)) throw invalid(`${field}.schema is required and must be a JSON Schema object.`);
  if (isSet(strict) && typeof strict !== 'boolean') throw invalid(`${field}.strict must be a boolean.`);
}

const invalid = (message: string): ApiError => new ApiError('invalid_response_format_schema', message);
