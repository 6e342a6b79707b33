// Reads JSON that a client sent. Nothing here throws: a field of the wrong type reads as absent, and the operation
// decides whether that is an error.

export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function objectAt(source: JsonObject, key: string): JsonObject | undefined {
  const value = source[key];
  return isObject(value) ? value : undefined;
}

export function stringAt(source: JsonObject, key: string): string | undefined {
  const value = source[key];
  return typeof value === 'string' ? value : undefined;
}

export function numberAt(source: JsonObject, key: string): number | undefined {
  const value = source[key];
  return typeof value === 'number' ? value : undefined;
}
