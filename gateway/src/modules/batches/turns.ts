// Whose turn it is: accounts with batches under way stand in a circle, and an account that has had a line goes behind
// the others. An account that was told to come back later rests, so that not all of its lines are tried in vain. Each
// process has a circle of its own.

export class AccountTurns {
  #circle: string[] = [];
  readonly #restsUntilMs = new Map<string, number>();

  /** New accounts go to the end, those without batches leave, and the others keep their places. */
  keep(accountIds: readonly string[]): void {
    const present = new Set(accountIds);
    const staying = this.#circle.filter((accountId) => present.has(accountId));
    this.#circle = [...new Set([...staying, ...accountIds])];
    for (const accountId of this.#restsUntilMs.keys())
      if (!present.has(accountId)) this.#restsUntilMs.delete(accountId);
  }

  rest(accountId: string, untilMs: number): void {
    this.#restsUntilMs.set(accountId, untilMs);
  }

  order(nowMs: number): readonly string[] {
    return this.#circle.filter((accountId) => (this.#restsUntilMs.get(accountId) ?? 0) <= nowMs);
  }

  /** These accounts have had a line each. */
  took(accountIds: Iterable<string>): void {
    const taken = new Set(accountIds);
    const [behind, before]: [string[], string[]] = [[], []];
    for (const accountId of this.#circle) (taken.has(accountId) ? behind : before).push(accountId);
    this.#circle = [...before, ...behind];
  }
}
