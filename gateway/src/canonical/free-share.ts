// How a call stands with the quota of a free model: what it took of it, or what had nothing left for it.

/** Which limit of a quota was used up: the day's, or the minute's. */
export type FreeWindow = 'daily' | 'rpm';

export type FreeShare =
  /** Of a longer answer only the beginning is free, and asked for. */
  | Readonly<{ units: number; exhausted: null; outputTokensMax: number }>
  /** The caller pays all the same. */
  | Readonly<{ units: 0; exhausted: FreeWindow }>;
