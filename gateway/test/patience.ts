// How long a test waits for a condition before it fails. This is not a promise of the product: a condition that comes
// is seen at once, and the length only gives a busy machine enough time.

export const PATIENCE_MS = 300_000;
/** Longer than several conditions of one test together. */
export const TEST_MS_MAX = 3 * PATIENCE_MS;
