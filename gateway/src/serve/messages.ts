// What the first process and its workers say to each other.

/** What a worker knows once it serves, and only the first process may print. */
export type Serving = Readonly<{
  url: string;
  siteUrl: string;
  adminToken: string;
  newAdminToken: string | null;
  configDifference: readonly string[];
}>;

export type FromWorker =
  | Readonly<{ kind: 'serving'; serving: Serving }>
  /** It was asked for the metrics of all. */
  | Readonly<{ kind: 'collect'; id: number }>
  | Readonly<{ kind: 'rendered'; id: number; text: string }>;

export type ToWorker =
  | Readonly<{ kind: 'stop' }>
  | Readonly<{ kind: 'render'; id: number }>
  | Readonly<{ kind: 'collected'; id: number; text: string }>;
