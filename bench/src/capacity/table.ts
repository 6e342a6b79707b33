// The table of docs/scale.md, made from the figures: the same figures make the same text.

import { BUSY_MAX, type Carried, carry } from './carry.ts';
import type { Figures } from './figures.ts';

export const TABLE_BEGIN = '<!-- bench:capacity begins -->';
export const TABLE_END = '<!-- bench:capacity ends -->';

const CORES = [1, 2, 4, 8, 16, 32, 64];
const DATABASE_CORES = 8;
const STREAM_SECONDS = 2;

/** Two significant digits. */
function rounded(value: number): string {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(value, 1))) - 1);
  return String(Math.round(value / unit) * unit).replace(/\B(?=(\d{3})+$)/g, ',');
}

const percent = (share: number): string => `${Math.round(share * 100)}%`;

function row(cores: number, whole: Carried, streamed: Carried): string {
  const { outcome } = whole;
  const cells = [
    cores,
    rounded(whole.callsPerSecond),
    rounded(streamed.callsPerSecond),
    rounded(streamed.callsPerSecond * STREAM_SECONDS),
    outcome.callsPerCommit.toFixed(1),
    outcome.statementsPerCall.toFixed(3),
    (outcome.database * DATABASE_CORES).toFixed(1),
    percent(outcome.redis),
    `${outcome.p99Ms.toFixed(0)} ms`,
    whole.bound,
  ];
  return `| ${cells.join(' | ')} |`;
}

export function capacityTable(figures: Figures): string {
  const { gateway, database, redis, machine, seen } = figures;
  const rows = CORES.map((processes) => {
    const setting = { processes, databaseCores: DATABASE_CORES };
    return row(
      processes,
      carry(figures, { ...setting, isStream: false }),
      carry(figures, { ...setting, isStream: true }),
    );
  });
  return [
    TABLE_BEGIN,
    '',
    `Measured on ${figures.measuredOn}: Node ${machine.node}, ${machine.processor}, ${machine.cores} cores, ${machine.database}, ${machine.redis}. ${figures.circumstances}`,
    '',
    `| what | measured |`,
    `| --- | --- |`,
    `| CPU of a whole call in the gateway | ${rounded(gateway.wholeMicros)} µs |`,
    `| CPU of a stream of 200 frames over 2 s in the gateway | ${rounded(gateway.streamMicros)} µs |`,
    `| CPU of a gateway that nobody calls | ${gateway.idleMillisPerSecond.toFixed(1)} ms and ${gateway.idleStatementsPerSecond.toFixed(1)} statements a second |`,
    `| CPU in PostgreSQL | ${rounded(database.microsPerCommit)} µs for a commit and ${rounded(database.microsPerCall)} µs for each call in it |`,
    `| wait for the disk at a commit | ${database.commitWaitMs.toFixed(2)} ms |`,
    `| rows that a call inserts or updates, its room on disk, its part of the write-ahead log | ${database.rowsPerCall.toFixed(1)}, ${rounded(database.bytesPerCall)} bytes, ${rounded(database.logBytesPerCall)} bytes |`,
    `| Redis | ${redis.commandsPerCall.toFixed(2)} commands and ${rounded(redis.microsPerCall)} µs for a call |`,
    `| one process at full load | ${rounded(seen.callsPerSecond)} calls a second, ${seen.callsPerCommit.toFixed(1)} calls in a commit, ${seen.statementsPerCall.toFixed(3)} statements for a call |`,
    '',
    `What that carries with nothing busier than ${percent(BUSY_MAX)}, one Redis, and one PostgreSQL with ${DATABASE_CORES} cores:`,
    '',
    '| gateway cores | whole calls/s | or streams/s | streams open | calls in a commit | statements/call | PostgreSQL cores busy | Redis busy | added, p99 | first to give out |',
    '| --: | --: | --: | --: | --: | --: | --: | --: | --: | --- |',
    ...rows,
    '',
    TABLE_END,
  ].join('\n');
}
