// How many calls may be repeating themselves at a time. Retries help against a hiccup and feed an outage, so they may
// only ever be a fraction of the calls that are under way.

const SHARE_MAX = 0.2;
/** So that a quiet gateway may retry at all. */
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

  /** Null when the budget is spent; else must be called when the retry is over. */
  take(): (() => void) | null {
    if (this.#retries >= Math.max(RETRIES_ALWAYS, this.#activeCalls * SHARE_MAX)) return null;
    this.#retries += 1;
    return () => {
      this.#retries -= 1;
    };
  }
}
