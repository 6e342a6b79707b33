// Checks what form the answer shall have.

import { isJsonObject } from '../../canonical/json.ts';
import { ApiError } from '../../errors/api-error.ts';
import { refuseField } from '../refuse.ts';

/** Returns whether the model must be able to hold to a form; plain text needs nothing. */
export function parseResponseFormat(format: unknown): boolean {
  if (format === undefined || format === null) return false;
  if (!isJsonObject(format)) throw refuseField('response_format', 'must be an object');
  switch (format.type) {
    case 'text':
      return false;
    case 'json_object':
      return true;
    case 'json_schema':
      checkSchema(format.json_schema);
      return true;
    default:
      throw invalid('response_format.type must be text, json_object or json_schema.');
  }
}

function checkSchema(definition: unknown): void {
  if (!isJsonObject(definition)) throw invalid('response_format.json_schema is required and must be an object.');
  const { name, schema, strict } = definition;
  if (typeof name !== 'string' || name === '') {
    throw invalid('response_format.json_schema.name is required and must be a string.');
  }
  if (!isJsonObject(schema)) {
    throw invalid('response_format.json_schema.schema is required and must be a JSON Schema object.');
  }
  if (strict !== undefined && strict !== null && typeof strict !== 'boolean') {
    throw invalid('response_format.json_schema.strict must be a boolean.');
  }
}

function invalid(message: string): ApiError {
  return new ApiError('invalid_response_format_schema', message);
}
