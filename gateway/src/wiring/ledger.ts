// The ledger, and what is told of its events.

import type { SpendCap } from '../canonical/spend-cap.ts';
import type { Services } from '../endpoints/services.ts';
import { createAudit } from '../modules/audit/audit.ts';
import type { Catalog } from '../modules/catalog/catalog.ts';
import { createProcessQuota } from '../modules/free-tier/process-quota.ts';
import { createRedisQuota } from '../modules/free-tier/redis-quota.ts';
import { createLedger, SWEEP_MS } from '../modules/ledger/create-ledger.ts';
import type { Ledger, LedgerStatus } from '../modules/ledger/ledger.ts';
import { type OnAbsorbed, PARTLY_COVERED } from '../modules/ledger/reserver.ts';
import type { Exposure, ExposureFigures } from '../modules/limits/exposure.ts';
import { createRateLimiter, type RateLimiter } from '../modules/limits/rate-limit.ts';
import { createRedisRateLimiter } from '../modules/limits/redis-rate-limit.ts';
import { createBreakerTrips } from '../modules/orgs/breaker-trips.ts';
import type { RouteHealth } from '../modules/routing/route-health.ts';
import type { Routing } from '../modules/routing/routing.ts';
import { createAppNames } from '../modules/usage/app-names.ts';
import { isDoubt } from '../pipeline/money/meter.ts';
import type { Clock } from '../platform/clock.ts';
import type { Timeline } from '../platform/db/timelines.ts';
import type { Metrics, WatchedFigure } from '../platform/metrics.ts';
import { type NanoUsd, usdNumber } from '../platform/money.ts';
import type { Parts } from './parts.ts';

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
      // A caller who was charged as far as the balance went has paid everything there was, which is not misconduct.
      if (reason !== PARTLY_COVERED) exposure.add(record, costNanoUsd, reason);
      return;
    }
    // The upstream caused this, and not the caller.
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

// Rate limits: counted by all processes together where there is Redis, else by each alone.

export function createLimits({
  clock,
  logger,
  storage: { database, redis: parts },
}: Parts): Pick<Services, 'freeQuota' | 'rateLimiter' | 'listingLimiter'> {
  const limiter = (name: string, hasPenalty: boolean): RateLimiter =>
    parts === null
      ? createRateLimiter({ clock, hasPenalty })
      : createRedisRateLimiter({ name, ...parts, clock, hasPenalty });
  return {
    rateLimiter: limiter('calls', true),
    listingLimiter: limiter('listings', false),
    freeQuota:
      parts === null
        ? createProcessQuota({ database, clock, logger })
        : createRedisQuota({ ...parts, database, clock, logger }),
  };
}

// Figures of the ledger and of the routes, for the page of metrics: read when the page is made, so that a call pays
// nothing for them.

type WatchedLedger = Readonly<{
  ledger: Ledger;
  isDatabaseReachable(): boolean;
  /** Since this process started. */
  unpaid: Readonly<{ absorbedNanoUsd: NanoUsd; implausibleNanoUsd: NanoUsd; doubtfulCharges: number }>;
}>;

function watchLedger(metrics: Metrics, { ledger, isDatabaseReachable, unpaid }: WatchedLedger): void {
  type Of = (status: LedgerStatus) => number;
  const read = (of: Of) => (): number => of(ledger.status());
  const gauge = (name: string, help: string, of: Of) => ({ name, help, kind: 'gauge' as const, read: read(of) });
  const counter = (name: string, help: string, of: Of) => ({ name, help, kind: 'counter' as const, read: read(of) });
  const figures: readonly WatchedFigure[] = [
    gauge('tollgate_ledger_serving', 'Whether calls that cost something are admitted.', ({ isServing }) =>
      isServing ? 1 : 0,
    ),
    gauge('tollgate_reservations_open', 'Calls that hold money now.', (status) => status.openReservations),
    gauge('tollgate_slices', 'Accounts and caps of which this process has leased a part.', (status) => status.slices),
    gauge('tollgate_settlements_queued', 'Settlements that wait for their commit.', (it) => it.queuedSettlements),
    gauge(
      'tollgate_settlements_journaled',
      'Settlements on the local disk that the database does not have yet.',
      (status) => status.journaledSettlements,
    ),
    counter(
      'tollgate_settlements_buried_total',
      'Settlements that the database would not take, kept in the dead letter file.',
      (it) => it.buriedSettlements,
    ),
    counter(
      'tollgate_lost_charges_total',
      'Charges that a fail-over of the database had lost and that were charged again.',
      (it) => it.lostCharges,
    ),
    counter(
      'tollgate_records_dropped_total',
      'Records of calls without a charge that were given up for want of room.',
      (it) => it.droppedRecords,
    ),
    {
      name: 'tollgate_absorbed_nano_usd_total',
      help: 'Cost that nobody paid, in billionths of a USD.',
      kind: 'counter',
      read: () => Number(unpaid.absorbedNanoUsd),
    },
    {
      name: 'tollgate_implausible_nano_usd_total',
      help: 'Cost that upstreams stated and nothing explains, so that nobody was charged, in billionths of a USD.',
      kind: 'counter',
      read: () => Number(unpaid.implausibleNanoUsd),
    },
    {
      name: 'tollgate_doubtful_charges_total',
      help: 'Charges whose usage nothing explained, or in which a model without a price took a turn.',
      kind: 'counter',
      read: () => unpaid.doubtfulCharges,
    },
    {
      name: 'tollgate_database_reachable',
      help: 'Whether the last contact with the database succeeded.',
      kind: 'gauge',
      read: () => (isDatabaseReachable() ? 1 : 0),
    },
  ];
  for (const figure of figures) metrics.watch(figure);
}

/** What is unpaid and who is restricted is the same in every process; what is under way differs. */
function watchExposure(metrics: Metrics, exposure: Pick<Exposure, 'figures'>): void {
  const gauge = (name: string, help: string, of: (figures: ExposureFigures) => number): void =>
    metrics.watch({ name, help, kind: 'gauge', read: () => of(exposure.figures()) });
  gauge('tollgate_exposure_nano_usd', 'Unpaid cost that counts against allowances now.', (it) =>
    Number(it.unpaidNanoUsd),
  );
  gauge(
    'tollgate_exposure_in_flight_nano_usd',
    'What is held for the calls of this process that are under way.',
    (it) => Number(it.inFlightNanoUsd),
  );
  gauge('tollgate_restricted_users', 'Users who are kept out for what they left unpaid.', (it) => it.restricted);
}

type WatchedRoutes = Readonly<{ catalog: Catalog; routing: Routing; clock: Clock }>;

export function watchRoutes(metrics: Metrics, { catalog, routing, clock }: WatchedRoutes): void {
  const all = (): ReadonlySet<RouteHealth> => {
    const { models } = catalog.current();
    const routes = models.flatMap((model) => catalog.routesOf(model));
    // Several models may share one route.
    return new Set(routes.map(({ provider, upstreamModel }) => routing.healthOf(provider, upstreamModel)));
  };
  metrics.watch({
    name: 'tollgate_routes',
    help: 'Routes to providers in the catalog.',
    kind: 'gauge',
    read: () => all().size,
  });
  metrics.watch({
    name: 'tollgate_routes_isolated',
    help: 'Routes that this process does not ask at the moment.',
    kind: 'gauge',
    read() {
      const nowMs = clock.monotonicMs();
      return [...all()].filter((route) => route.isolation(nowMs) !== null).length;
    },
  });
}
