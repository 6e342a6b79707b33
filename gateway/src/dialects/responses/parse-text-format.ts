// Checks what form the answer's text shall have.

import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import { ApiError } from '../../errors/api-error.ts';
import { refuseField } from '../refuse.ts';

/** Returns whether the model must be able to hold to a form; plain text needs nothing. */
export function parseTextFormat(text: unknown): boolean {
  if (text === undefined || text === null) return false;
  if (!isJsonObject(text)) throw refuseField('text', 'must be an object');
  const { format } = text;
  if (format === undefined || format === null) return false;
  if (!isJsonObject(format)) throw refuseField('text.format', 'must be an object');
  switch (format.type) {
    case 'text':
      return false;
    case 'json_object':
      return true;
    case 'json_schema':
      checkSchema(format);
      return true;
    default:
      throw invalid('text.format.type must be text, json_object or json_schema.');
  }
}

function checkSchema({ name, schema, strict }: JsonObject): void {
  if (typeof name !== 'string' || name === '') throw invalid('text.format.name is required and must be a string.');
  if (!isJsonObject(schema)) throw invalid('text.format.schema is required and must be a JSON Schema object.');
  if (strict !== undefined && strict !== null && typeof strict !== 'boolean') {
    throw invalid('text.format.strict must be a boolean.');
  }
}

function invalid(message: string): ApiError {
  return new ApiError('invalid_response_format_schema', message);
}
