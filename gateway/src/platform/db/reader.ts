// A standby that answers reports. How far it is behind is measured by what it has replayed of the primary and not by
// its own report: a standby that has lost its primary believes that it is up to date. When it is away or too far
// behind, the primary answers. Nothing that decides about money may be read here.

import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { isConnectionFailure } from './connection-failure.ts';
import { type Database, type Queryable, sql } from './database.ts';

const MEASURE_MS = 1_000;
/** A standby further behind is not used, because a report would lack what its reader has just done. */
const LAG_MS_MAX = 30_000;

export type ReportReader = Readonly<{
  queryable: Queryable;
  /** Null where there is no standby, or none that answers. */
  lagMs(): number | null;
  close(): Promise<void>;
}>;

type ReaderInput = Readonly<{ database: Queryable; standby: Database; clock: Clock; logger: Logger }>;

const writtenStatement = sql('reader_written', `SELECT (pg_current_wal_lsn() - '0/0')::bigint AS place`);
// A server that takes writes has nothing to replay and is not behind.
const replayedStatement = sql(
  'reader_replayed',
  `SELECT CASE WHEN pg_is_in_recovery() THEN (pg_last_wal_replay_lsn() - '0/0')::bigint END AS place`,
);

type Mark = Readonly<{ place: bigint; atMs: number }>;

class StandbyReader implements ReportReader {
  readonly #input: ReaderInput;
  readonly #stop: () => void;
  /** Positions of the primary at some moments, the oldest first; replayed ones are dropped except the last. */
  #marks: Mark[] = [];
  #lagMs: number | null = null;
  #isMeasuring = false;
  #isUsed = false;

  constructor(input: ReaderInput) {
    this.#input = input;
    this.#stop = input.clock.every(MEASURE_MS, () => void this.measure());
  }

  readonly queryable: Queryable = {
    query: async (statement, values) => {
      const { database, standby } = this.#input;
      if (!this.#isUsable()) return database.query(statement, values);
      try {
        return await standby.query(statement, values);
      } catch (error) {
        // A standby cancels statements that are in the way of its replay; then too the primary answers.
        if (!isConnectionFailure(error) && !isCancelled(error)) throw error;
        return database.query(statement, values);
      }
    },
  };

  readonly lagMs = (): number | null => this.#lagMs;

  async measure(): Promise<void> {
    if (this.#isMeasuring) return;
    this.#isMeasuring = true;
    try {
      this.#lagMs = await this.#measured();
    } catch {
      // One of the two is away, which its own connection reports.
      this.#lagMs = null;
    } finally {
      this.#isMeasuring = false;
      this.#tell();
    }
  }

  async close(): Promise<void> {
    this.#stop();
    await this.#input.standby.close();
  }

  async #measured(): Promise<number> {
    const { database, standby, clock } = this.#input;
    const atMs = clock.monotonicMs();
    const [written] = await database.query<{ place: bigint }>(writtenStatement);
    if (written !== undefined) this.#marks.push({ place: written.place, atMs });
    const [replayed] = await standby.query<{ place: bigint | null }>(replayedStatement);
    const place = replayed?.place ?? null;
    if (place === null) return 0;
    const behind = this.#marks.findIndex((mark) => mark.place > place);
    if (behind < 0) {
      this.#marks = [];
      return 0;
    }
    this.#marks = this.#marks.slice(behind);
    return clock.monotonicMs() - (this.#marks[0]?.atMs ?? atMs);
  }

  #isUsable(): boolean {
    return this.#lagMs !== null && this.#lagMs <= LAG_MS_MAX && this.#input.standby.isReachable();
  }

  #tell(): void {
    const isUsed = this.#isUsable();
    if (isUsed === this.#isUsed) return;
    this.#isUsed = isUsed;
    const lagMs = this.#lagMs;
    if (isUsed) this.#input.logger.info({ lagMs }, 'reports are read from the standby');
    else this.#input.logger.warn({ lagMs }, 'the standby is away or too far behind: the primary answers reports');
  }
}

/** 40001 and 57014: the statement was in the way of the replay. */
const isCancelled = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === '40001' || error.code === '57014');

export function openReader(input: ReaderInput): ReportReader {
  const reader = new StandbyReader(input);
  void reader.measure();
  return reader;
}
