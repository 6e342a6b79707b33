// One number of an upstream's usage record. Whatever is not a whole number in range is no count, and then the whole
// record is worth nothing; zero is a count, and only absence is absence.

const TOKENS_MAX = 2 ** 40;

/** Zero when there is none, -1 for what is no count at all. */
export function readCount(value: unknown): number {
  if (value === undefined || value === null) return 0;
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= TOKENS_MAX;
  // Adding zero turns a negative zero into the ordinary one.
  return isCount ? value + 0 : -1;
}
