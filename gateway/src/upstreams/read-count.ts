// One number of an upstream's usage record. A value that is not a whole number in range is not a count, and makes the
// whole record worthless; zero is a count, and only a missing value is none.

const TOKENS_MAX = 2 ** 40;

/** Zero when there is none, -1 for a value that is not a count. */
export function readCount(value: unknown): number {
  if (value === undefined || value === null) return 0;
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= TOKENS_MAX;
  // Adding zero turns a negative zero into the ordinary one.
  return isCount ? value + 0 : -1;
}
