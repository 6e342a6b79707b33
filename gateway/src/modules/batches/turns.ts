// Whose turn it is: accounts with batches under way stand in a circle, and whoever has had a line goes behind the others.
// Each process has a circle of its own.

export class Turns {
  #circle: string[] = [];

  /** Those who have come go to the end, those who are done leave, and the others keep their places. */
  keep(accountIds: readonly string[]): void {
    const present = new Set(accountIds);
    const staying = this.#circle.filter((accountId) => present.delete(accountId));
    this.#circle = [...staying, ...present];
  }

  get order(): readonly string[] {
    return this.#circle;
  }

  /** They have had a line each. */
  served(accountIds: Iterable<string>): void {
    const served = new Set(accountIds);
    const [behind, before]: [string[], string[]] = [[], []];
    for (const accountId of this.#circle) (served.has(accountId) ? behind : before).push(accountId);
    this.#circle = [...before, ...behind];
  }
}
