// The input of the simulation: figures of one short run, kept in bench/results/capacity.json. They belong to one
// machine and one day; the results hold for machines like it.

export type Figures = Readonly<{
  measuredOn: string;
  machine: Readonly<{ node: string; processor: string; cores: number; database: string; redis: string }>;
  /** What else was running, as text for readers of the table. */
  circumstances: string;
  /** CPU of a gateway process. A stream is one of 200 frames, 10 ms apart. */
  gateway: Readonly<{
    wholeMicros: number;
    streamMicros: number;
    idleMillisPerSecond: number;
    idleStatementsPerSecond: number;
  }>;
  /** CPU of the server: for each group commit, and for each call in it. The wait is for the disk. */
  database: Readonly<{
    microsPerCommit: number;
    microsPerCall: number;
    commitWaitMs: number;
    rowsPerCall: number;
    bytesPerCall: number;
    logBytesPerCall: number;
  }>;
  redis: Readonly<{ microsPerCall: number; commandsPerCall: number }>;
  /** As measured with one process at full load, to compare the simulation with. */
  seen: Readonly<{ callsPerSecond: number; statementsPerCall: number; callsPerCommit: number }>;
}>;
