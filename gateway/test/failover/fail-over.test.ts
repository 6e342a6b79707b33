// The database fails over under load: nothing that a client saw is lost or charged twice, and charges that a standby
// had not received are named and made again.

import { expect, test } from 'vitest';
import { type FailOverMode, type FailOverReport, failOverAgainAndAgain, openPair } from './fail-over.ts';
import { isMissing } from './programs.ts';

const MODES: readonly FailOverMode[] = ['synchronous', 'asynchronous', 'frozen', 'two primaries'];

test.skipIf(isMissing('postgres', 'initdb', 'pg_basebackup'))(
  'PGLOSS a standby takes the place of a primary that dies, freezes, or lives on beside it',
  async () => {
    const pair = await openPair();
    const reports = new Map<FailOverMode, FailOverReport>();
    await failOverAgainAndAgain(pair, MODES, (mode, report) => reports.set(mode, report));
    await pair.standby.remove();
    await pair.primary.remove();
    for (const [mode, report] of reports) {
      expect(report.differences, mode).toEqual([]);
      expect(report.ledger, mode).toMatchObject({ ok: true, discrepancies: [] });
    }
    expect(reports.get('synchronous')?.named).toBe(0);
    expect(reports.get('asynchronous')?.named).toBeGreaterThanOrEqual(20);
  },
);
