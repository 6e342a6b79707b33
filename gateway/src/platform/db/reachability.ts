// Whether the server answers, as readiness and admission ask it. Statements report what they saw; a probe on a
// connection of its own asks when nothing was heard for a while, because callers that are turned away send nothing.

import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';

const TICK_MS = 250;
const QUIET_MS = 5_000;

export type Reachability = Readonly<{
  isReachable(): boolean;
  succeeded(): void;
  failed(error: unknown): void;
  /** One connection was lost, which may mean nothing: the next tick asks the server. */
  doubt(): void;
  close(): void;
}>;

export function watchReachability(
  input: Readonly<{ probe: () => Promise<void>; clock: Clock; logger: Logger }>,
): Reachability {
  const { probe, clock, logger } = input;
  let isReachable = true;
  let isProbing = false;
  let lastContactMs = clock.monotonicMs();

  function succeeded(): void {
    lastContactMs = clock.monotonicMs();
    if (isReachable) return;
    isReachable = true;
    logger.info({}, 'database is back');
  }

  function failed(error: unknown): void {
    if (!isReachable) return;
    isReachable = false;
    logger.error({ error: error instanceof Error ? error : undefined }, 'database is away');
  }

  function doubt(): void {
    lastContactMs = Number.NEGATIVE_INFINITY;
  }

  const stop = clock.every(TICK_MS, () => {
    if (isProbing || (isReachable && clock.monotonicMs() - lastContactMs < QUIET_MS)) return;
    isProbing = true;
    probe()
      .then(succeeded, failed)
      .finally(() => {
        isProbing = false;
      });
  });

  return { isReachable: () => isReachable, succeeded, failed, doubt, close: stop };
}
