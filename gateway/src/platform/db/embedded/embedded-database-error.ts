// The error for an operator whose embedded database cannot start: its message says what to do.

export class EmbeddedDatabaseError extends Error {
  override readonly name = 'EmbeddedDatabaseError';
}
