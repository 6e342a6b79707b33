// The database is away for some seconds under load, refusing or hanging. Calls under way are served and charged, new
// calls are asked to come back, no caller is refused as unknown, and the service resumes by itself.

import { expect, test } from 'vitest';
import { freshDatabase } from '../database.ts';
import { loseDatabase, REFUSALS_MIN, REFUSED } from './database-loss.ts';

const AWAY_SECONDS = 5;

test.each(['refused', 'hung'] as const)('PGLOSS the database is away under load: %s', async (mode) => {
  const database = await freshDatabase();
  const report = await loseDatabase({ databaseUrl: database.url, mode, seconds: AWAY_SECONDS });
  await database.drop();
  expect(report.faults).toEqual([]);
  expect(report.discrepancies).toEqual([]);
  expect(report.inFlight.finished).toBe(report.inFlight.begun);
  expect(report.chargedWhileAway).toBeGreaterThanOrEqual(report.inFlight.begun);
  // Every request is answered, and does not wait until the database is back: those of strangers and of readers, too.
  for (const what of REFUSED) {
    expect(report.statusesWhileAway[`${what}: 503`], what).toBeGreaterThanOrEqual(REFUSALS_MIN);
  }
  expect(report.refusals.medianMs).toBeLessThan(AWAY_SECONDS * 1_000);
  expect(report.backAfterMs).toBeLessThan(Number.POSITIVE_INFINITY);
});
