// Whose calls have shown a failure. A customer can provoke what looks like a provider's failure, by prompts that take
// too long or by naming what the provider keeps from it, and may have several accounts. So a failure counts for the
// accounts that saw it alone, until there are more of them than one person is likely to have paid for.

const ACCOUNTS_OF_ALL = 5;

export class Blame {
  readonly #accountIds = new Set<string>();
  #isOfNobody = false;

  /** Without an account it counts for everybody at once. */
  add(accountId: string | undefined): void {
    if (accountId === undefined) this.#isOfNobody = true;
    else if (!this.isForAll) this.#accountIds.add(accountId);
  }

  /** The failure was seen by so many that it is kept from everybody. */
  get isForAll(): boolean {
    return this.#isOfNobody || this.#accountIds.size >= ACCOUNTS_OF_ALL;
  }

  /** The failure was that of other accounts. */
  spares(accountId: string | undefined): boolean {
    if (accountId === undefined || this.#accountIds.size === 0) return false;
    return !this.isForAll && !this.#accountIds.has(accountId);
  }

  clear(): void {
    this.#isOfNobody = false;
    // Every success comes here, and even an empty set is made anew when it is cleared.
    if (this.#accountIds.size > 0) this.#accountIds.clear();
  }
}
