// The emergency brake over everybody's spending. Calls read its settings from memory, processes from the database; a
// change travels as a notice, and a process that missed notices reads again.

import { NO_CAPS, type SpendCap } from '../../canonical/spend-cap.ts';
import type { SpendWindow } from '../../canonical/spend-window.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Database, Notices } from '../../platform/db/database.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { type BrakeChange, type BrakeRow, changeBrake, readBrake } from './store/brake.ts';

const TOPIC = 'brake';

export type BrakeSettings = Readonly<{
  isEnabled: boolean;
  /** Null: the window is not watched. */
  minuteNanoUsd: NanoUsd | null;
  hourNanoUsd: NanoUsd | null;
}>;

export type Brake = Readonly<{
  settings(): BrakeSettings;
  /**
   * The caps that every call is checked against: none while the brake is off. The same list object until a setting
   * changes.
   */
  caps(): readonly SpendCap[];
  /** Live here at once, elsewhere when the notice arrives. 400 when it would be on without anything to watch. */
  change(change: BrakeChange): Promise<BrakeSettings>;
}>;

export async function openBrake(
  input: Readonly<{ database: Database; notices: Notices; logger: Logger }>,
): Promise<Brake> {
  const { database, notices, logger } = input;
  let row = await readBrake(database);
  let caps = brakeCaps(row);
  const adopt = (changed: BrakeRow): void => {
    row = changed;
    caps = brakeCaps(changed);
  };

  let reading: Promise<void> = Promise.resolve();
  // Readings wait for each other, so that the newest one stays.
  const readAgain = (): void => {
    reading = reading.then(async () => {
      try {
        adopt(await readBrake(database));
      } catch (error) {
        // When the database is away the notices are too, and their return calls this again.
        logger.warn({ error: asError(error) }, 'the settings of the emergency brake could not be read');
      }
    });
  };
  notices.subscribe(TOPIC, readAgain);
  notices.onGap(readAgain);

  return {
    settings: () => row,
    caps: () => caps,
    async change(change) {
      const changed = await changeBrake(database, change);
      if (changed === null) {
        throw new ApiError('http_400', 'minuteUsd, hourUsd: at least one must be set while the brake is enabled.');
      }
      adopt(changed);
      await notices.publish(TOPIC, 'changed');
      return changed;
    },
  };
}

function brakeCaps(row: BrakeRow): readonly SpendCap[] {
  if (!row.isEnabled) return NO_CAPS;
  const watch = (window: SpendWindow, limitNanoUsd: NanoUsd | null): SpendCap[] => {
    if (limitNanoUsd === null) return [];
    const sinceMs = row.enabledAt.getTime();
    return [{ kind: 'breaker', scope: 'platform', scopeId: 'all', window, limitNanoUsd, sinceMs, covers: {} }];
  };
  return [...watch('minute', row.minuteNanoUsd), ...watch('hour', row.hourNanoUsd)];
}
