// Which server of a cluster is the newest. A standby that is promoted begins a new timeline, so a server on an older one
// has been left behind, however willing it is; and when a newer one is met for the first time, whatever was committed
// just before may be gone with the old one, which those who rely on it must hear before they go on.

/** `systemId` is the cluster's: numbers of different clusters have nothing to do with each other. */
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

  /** Since what was known at first, within the same cluster. */
  get hasAdvanced(): boolean {
    return this.#hasAdvanced;
  }

  /** Called at once, before a connection to the newer server is handed out. */
  onAdvance(handler: (timeline: Timeline) => void): void {
    this.#handlers.push(handler);
  }

  /** Why a server will not do; null when it will. */
  judge(timeline: Timeline): string | null {
    const newest = this.#newest;
    if (newest?.systemId === timeline.systemId) {
      if (timeline.number < newest.number)
        return `IS behind: it IS ON timeline ${timeline.number}, AND a server ON timeline ${newest.number} has been seen`;
      if (timeline.number === newest.number) return null;
      this.#hasAdvanced = true;
    }
    this.#newest = timeline;
    if (newest !== null) for (const handler of this.#handlers) handler(timeline);
    return null;
  }
}
