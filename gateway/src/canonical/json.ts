// Parsed JSON from a stranger, of unknown shape. A value of another type than the expected one counts as missing; the
// names of the readers say what stands for it.

export type JsonObject = { [key: string]: unknown };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const isSet = (value: unknown): boolean => value !== undefined && value !== null;

export const isFilled = (value: unknown): value is string => typeof value === 'string' && value !== '';

export const filledOrNull = (value: unknown): string | null => (isFilled(value) ? value : null);

export const textOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '');

export const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export const textOrNothing = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null);

export const numberOrNothing = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

export const booleanOrNothing = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : undefined;

export const objectOrEmpty = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

export const listOrEmpty = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
