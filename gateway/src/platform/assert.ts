// Programmer errors. A failed assertion is a bug of ours, answered with a plain 500; never use it on input.

class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** For the default branch of a switch over a union: a new member then fails to compile. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${String(value)}`);
}
