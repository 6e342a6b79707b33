// Runs batches at a pace that leaves room for calls whose clients wait: a slow upstream is sent many lines at once, but
// they begin a few at a time, and one by one in a busy process. Processes share the work: each claims lines and renews
// its claims, and those of a dead process are taken up when its lease has run out. Batches that were handed to
// providers are advanced in the same way.

import { performance } from 'node:perf_hooks';
import type { Batches, DueLine } from '../modules/batches/batches.ts';
import type { Files } from '../modules/batches/files.ts';
import type { HandedBatch } from '../modules/batches/handed.ts';
import { type AdvanceServices, advanceHanded } from '../pipeline/later/advance-handed.ts';
import { runLine } from '../pipeline/later/run-line.ts';
import type { Clock } from '../platform/clock.ts';
import { reportFailure } from '../platform/db/report-failure.ts';
import type { Logger } from '../platform/logger.ts';

const BATCH_INTERVAL_MS = 1_000;
const BEAT_MS = 5_000;
const SWEEP_MS = 3_600_000;
/**
 * Beginning a line takes a millisecond or two, and a call that comes meanwhile waits for all lines that begin together.
 */
const PACE_MS = 25;
const BEGUN_TOGETHER_MAX = 4;
/** The share of time in which a busy process had something to do. */
const BUSY_SHARE = 0.5;
const HANDED_AT_ONCE_MAX = 4;
const STOP_MS = 3_000;

type BatchServices = Omit<AdvanceServices, 'batches'> &
  Readonly<{
    batches: Batches;
    files: Pick<Files, 'sweep'>;
    /** While overloaded no line is begun: calls whose clients wait come first. */
    isOverloaded(): boolean;
    clock: Clock;
    logger: Logger;
  }>;

/** Stopping it waits a little for what is under way; what is cut off is taken up by another process. */
export function startBatches(services: BatchServices): () => Promise<void> {
  const { batches, files, handed, clock, isOverloaded } = services;
  const underWay = new Map<DueLine, Promise<void>>();
  const isBusy = busyness();
  let isStopped = false;
  const begin = (line: DueLine): void => {
    const running = attempt(() => runLine(line, services), services).finally(() => {
      underWay.delete(line);
      void fill();
    });
    underWay.set(line, running);
  };
  const fill = once(async () => {
    while (!isStopped && !isOverloaded() && underWay.size < batches.linesAtOnce) {
      const together = Math.min(isBusy() ? 1 : BEGUN_TOGETHER_MAX, batches.linesAtOnce - underWay.size);
      const due = await batches.claimLines(together, underWay.keys());
      if (due.length === 0) return;
      for (const line of due) begin(line);
      await clock.sleep(PACE_MS);
    }
  }, services);
  const read = once(() => readAll(batches, () => isStopped), services);
  const look = once(async () => {
    // Only lines of batches under way are handed over.
    if (await batches.look()) void advance();
  }, services);
  const advancing = new Map<HandedBatch, Promise<void>>();
  const advance = once(async () => {
    if (isStopped || advancing.size >= HANDED_AT_ONCE_MAX) return;
    for (const batch of await handed.claim(HANDED_AT_ONCE_MAX - advancing.size)) {
      const running = attempt(() => advanceHanded(batch, services), services).finally(() => {
        advancing.delete(batch);
        void advance();
      });
      advancing.set(batch, running);
    }
  }, services);
  const stops = [
    clock.every(BATCH_INTERVAL_MS, () => void Promise.all([read(), look().then(fill)])),
    clock.every(BEAT_MS, () => {
      void attempt(() => batches.beat([...underWay.keys()]), services);
      for (const batch of advancing.keys()) void attempt(() => handed.beat(batch), services);
    }),
    clock.every(SWEEP_MS, () => {
      void attempt(async () => {
        await batches.sweep();
        await files.sweep();
      }, services);
    }),
  ];
  return async () => {
    isStopped = true;
    for (const stop of stops) stop();
    await Promise.race([Promise.all([...underWay.values(), ...advancing.values()]), clock.sleep(STOP_MS)]);
  };
}

/** Beside everything else: a large file takes seconds, for which neither the lines nor the jobs of others wait. */
async function readAll(batches: Pick<Batches, 'readNext'>, isStopped: () => boolean): Promise<void> {
  while (!isStopped() && (await batches.readNext()));
}

/** Whether the process was busy since the last call. */
function busyness(): () => boolean {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization > BUSY_SHARE;
  };
}

/** One round at a time; a request during a round does nothing. */
function once(run: () => Promise<void>, services: Pick<BatchServices, 'logger'>): () => Promise<void> {
  let running: Promise<void> | null = null;
  return () => {
    running ??= attempt(run, services).finally(() => {
      running = null;
    });
    return running;
  };
}

async function attempt(run: () => Promise<void>, { logger }: Pick<BatchServices, 'logger'>): Promise<void> {
  try {
    await run();
  } catch (error) {
    reportFailure(logger, error, 'a batch could not be moved on');
  }
}
