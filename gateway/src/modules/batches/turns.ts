// Whose turn it is: accounts with batches under way stand in a circle, and whoever has had a line goes behind the others.
// Who was told to come back later rests, so that not every line is tried to hear the same. Each process has a circle of
// its own.

export class AccountTurns {
  #circle: string[] = [];
  readonly #restsUntilMs = new Map<string, number>();

  /** Those who have come go to the end, those who are done leave, and the others keep their places. */
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

  /** They have had a line each. */
  took(accountIds: Iterable<string>): void {
    const taken = new Set(accountIds);
    const [behind, before]: [string[], string[]] = [[], []];
    for (const accountId of this.#circle) (taken.has(accountId) ? behind : before).push(accountId);
    this.#circle = [...before, ...behind];
  }
}
