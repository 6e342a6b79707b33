// The ledger, and who hears of what happens in it.

import type { SpendCap } from '../canonical/spend-cap.ts';
import { createAudit } from '../modules/audit/audit.ts';
import { createLedger, SWEEP_MS } from '../modules/ledger/create-ledger.ts';
import type { Ledger } from '../modules/ledger/ledger.ts';
import { type OnAbsorbed, PARTLY_COVERED } from '../modules/ledger/prepaid-ledger.ts';
import type { Exposure } from '../modules/limits/exposure.ts';
import { createBreakerTrips } from '../modules/orgs/breaker-trips.ts';
import { createAppNames } from '../modules/usage/app-names.ts';
import { isDoubt } from '../pipeline/meter.ts';
import type { Timeline } from '../platform/db/timelines.ts';
import type { Metrics } from '../platform/metrics.ts';
import { usdNumber } from '../platform/money.ts';
import type { Parts } from './parts.ts';
import { watchExposure, watchLedger } from './watch-money.ts';

type LedgerHearers = Readonly<{ exposure: Exposure; onTripped(cap: SpendCap): void }>;

export async function openLedger(parts: Parts, metrics: Metrics, hearers: LedgerHearers): Promise<Ledger> {
  const { exposure } = hearers;
  const { config, clock, logger, storage } = parts;
  const { database, notices } = storage;
  const unpaid = { absorbedNanoUsd: 0n, implausibleNanoUsd: 0n, doubtfulCharges: 0 };
  const onAbsorbed: OnAbsorbed = (record, costNanoUsd, reason) => {
    unpaid.absorbedNanoUsd += costNanoUsd;
    if (reason === 'implausible') unpaid.implausibleNanoUsd += costNanoUsd;
    if (!isDoubt(reason)) {
      // Whoever was charged as far as the balance went has paid what there was: that is no misconduct.
      if (reason !== PARTLY_COVERED) exposure.add(record, costNanoUsd, reason);
      return;
    }
    // The upstream's doing, and not the caller's.
    unpaid.doubtfulCharges += 1;
    const { id, userId, modelId, providerName, upstreamModel } = record;
    const what = { id, userId, modelId, providerName, upstreamModel, absorbedUsd: usdNumber(costNanoUsd) };
    logger.error({ alert: 'usage', reason, ...what }, 'an upstream reported usage that could not be charged');
  };
  const onCommitted = (settlements: number): void => {
    metrics.batchCommitted(settlements);
    metrics.settlement('settled', settlements);
  };
  const { recordOnce } = createAudit({ database, clock });
  const { note } = createBreakerTrips({ recordOnce, clock, logger });
  const onTripped = (cap: SpendCap): void => {
    note(cap);
    hearers.onTripped(cap);
  };
  const countSweep = metrics.jobs.job('slices', SWEEP_MS, clock);
  const hears = { onAbsorbed, onCommitted, onTripped, countSweep, appNameOf: createAppNames().recorded };
  const { dataDir } = config;
  const ledger = await createLedger({
    database,
    notices,
    connect: storage.connectSession,
    onDatabaseAway: storage.onDatabaseAway,
    serverName: () => nameOf(storage.timelines.newest),
    isAfterTakeover: storage.timelines.hasAdvanced,
    dataDir,
    keepMs: config.journalKeepMs,
    clock,
    logger,
    ...hears,
  });
  watchLedger(metrics, { ledger, isDatabaseReachable: database.isReachable, unpaid });
  watchExposure(metrics, exposure);
  return ledger;
}

const nameOf = (timeline: Timeline | null): string | null =>
  timeline === null ? null : `${timeline.systemId} ${timeline.number}`;
