// What the dialects require of single fields, in the same words. Null never gets here, because for an optional field it
// means absent.

import { isJsonObject, type JsonObject } from '../canonical/json.ts';
import { ApiError } from '../errors/api-error.ts';
import { refuseField } from './refuse.ts';

export type FieldCheck = (value: unknown, field: string) => void;

/** Far above every model's limit, and small enough that products with it stay exact integers. */
const TOKEN_LIMIT_MAX = 1_000_000_000;

export function checkBoolean(value: unknown, field: string): void {
  if (typeof value !== 'boolean') throw refuseField(field, 'must be a boolean');
}

export function checkString(value: unknown, field: string): asserts value is string {
  if (typeof value !== 'string') throw refuseField(field, 'must be a string');
}

export function checkObject(value: unknown, field: string): asserts value is JsonObject {
  if (!isJsonObject(value)) throw refuseField(field, 'must be an object');
}

export function checkWholeNumber(value: unknown, field: string): void {
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw refuseField(field, 'must be an integer that is not negative');
  }
}

export function numberWithin(min: number, max: number): FieldCheck {
  return (value, field) => {
    if (typeof value !== 'number' || !(value >= min && value <= max)) {
      throw refuseField(field, `must be a number from ${min} to ${max}`);
    }
  };
}

export function checkTokenLimit(value: unknown, field: string): asserts value is number {
  if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > TOKEN_LIMIT_MAX) {
    throw new ApiError('max_tokens_invalid', `${field} must be a positive integer of at most ${TOKEN_LIMIT_MAX}.`);
  }
}
