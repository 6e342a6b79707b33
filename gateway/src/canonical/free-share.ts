// How a call stands with the quota of a free model: what it took of it, or what had nothing left for it.

/** Which limit of a quota was used up: the day's, or the minute's. */
export type FreeWindow = 'daily' | 'rpm';

export type FreeShare =
  | Readonly<{ units: number; exhausted: null }>
  /** The caller pays all the same. */
  | Readonly<{ units: 0; exhausted: FreeWindow }>;
