// Whose calls have shown a failure. One account can provoke what looks like a provider's failure, by prompts that take
// too long or by naming what the provider keeps from it, so a failure counts for that account alone until a call of
// another account has shown one too.

export class Blame {
  /** Null while nothing has failed; undefined where it counts for everybody. */
  #only: string | null | undefined = null;

  add(accountId: string | undefined): void {
    this.#only = this.#only === null || this.#only === accountId ? accountId : undefined;
  }

  /** The failure was another account's alone. */
  spares(accountId: string | undefined): boolean {
    return accountId !== undefined && typeof this.#only === 'string' && this.#only !== accountId;
  }

  clear(): void {
    this.#only = null;
  }
}
