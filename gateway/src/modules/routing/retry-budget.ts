// Bounds how many calls may be retrying at a time. Retries help against a short failure and make an outage worse, so
// they may only be a fraction of the calls under way.

const SHARE_MAX = 0.2;
/** Always allowed, so that a gateway with few calls can retry at all. */
const RETRIES_ALWAYS = 3;

export class RetryBudget {
  #activeCalls = 0;
  #retries = 0;

  /** Counts the call as under way until the returned function is called. */
  enter(): () => void {
    this.#activeCalls += 1;
    return () => {
      this.#activeCalls -= 1;
    };
  }

  /** Null when the budget is used up; otherwise call the function when the retry is over. */
  take(): (() => void) | null {
    if (this.#retries >= Math.max(RETRIES_ALWAYS, this.#activeCalls * SHARE_MAX)) return null;
    this.#retries += 1;
    return () => {
      this.#retries -= 1;
    };
  }
}
