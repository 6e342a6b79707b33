// Which server of a cluster is the newest. A standby that is promoted begins a new timeline, so a server on an older
// one is out of date, even if it takes writes. When a newer timeline is first met, what was committed just before may
// be lost with the old server, so those who rely on it are told before they go on.

/** `systemId` identifies the cluster: timelines of different clusters cannot be compared. */
export type Timeline = Readonly<{ systemId: string; number: number }>;

export class Timelines {
  readonly #handlers: ((timeline: Timeline) => void)[] = [];
  #newest: Timeline | null;
  #hasAdvanced = false;

  constructor(newest: Timeline | null = null) {
    this.#newest = newest;
  }

  get newest(): Timeline | null {
    return this.#newest;
  }

  /** Since the first known one, within the same cluster. */
  get hasAdvanced(): boolean {
    return this.#hasAdvanced;
  }

  /** Called at once, before a connection to the newer server is returned. */
  onAdvance(handler: (timeline: Timeline) => void): void {
    this.#handlers.push(handler);
  }

  /** Why a server cannot be used; null when it can. */
  judge(timeline: Timeline): string | null {
    const newest = this.#newest;
    if (newest?.systemId === timeline.systemId) {
      if (timeline.number < newest.number)
        return `is behind: it is on timeline ${timeline.number}, and a server on timeline ${newest.number} has been seen`;
      if (timeline.number === newest.number) return null;
      this.#hasAdvanced = true;
    }
    this.#newest = timeline;
    if (newest !== null) for (const handler of this.#handlers) handler(timeline);
    return null;
  }
}
