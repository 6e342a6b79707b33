// What the operator reads when the embedded database cannot be had: a sentence that says what to do about it.

export class EmbeddedDatabaseError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EmbeddedDatabaseError';
  }
}
