// What an operator should look at now: one line for each matter, the most serious first.

import type { OperatorOverviewAnswer } from '../../contract/overview.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import type { Exposure } from '../../modules/limits/exposure.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { formatUsd, type NanoUsd } from '../../platform/money.ts';
import { isPriced } from '../models/public-model.ts';
import { type RouteHealthServices, routesInTrouble } from './health.ts';

export type AttentionServices = RouteHealthServices &
  Readonly<{
    ledger: Pick<Ledger, 'status'>;
    exposure: Pick<Exposure, 'list'>;
    metrics: Pick<Metrics, 'jobs'>;
    /** The free part of the data folder's disk, from 0 to 1; null where it is not known. */
    freeDiskShare(): Promise<number | null>;
  }>;

type Matter = OperatorOverviewAnswer['attention'][number];

const EXPOSURES_MAX = 500;
const LAG_MS_MAX = 5_000;
const FREE_SHARE_MIN = 0.1;

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** `absorbedNanoUsd` is for the span that is shown. */
export async function attention(services: AttentionServices, absorbedNanoUsd: NanoUsd): Promise<Matter[]> {
  const [exposures, freeShare] = await Promise.all([services.exposure.list(EXPOSURES_MAX), services.freeDiskShare()]);
  const restricted = exposures.filter(({ restriction }) => restriction !== null).length;
  return [
    ...ledgerMatters(services.ledger.status()),
    ...(freeShare === null || freeShare >= FREE_SHARE_MIN ? [] : [diskMatter(freeShare)]),
    ...jobMatters(services),
    ...routeMatters(services),
    ...unpricedMatters(services),
    ...(restricted === 0 ? [] : [restrictedMatter(restricted)]),
    ...(absorbedNanoUsd === 0n ? [] : [absorbedMatter(absorbedNanoUsd)]),
  ];
}

function ledgerMatters(status: ReturnType<Ledger['status']>): Matter[] {
  const { isServing, settlementLagMs, journaledSettlements, buriedSettlements } = status;
  const matter = (count: number, text: string): Matter => ({ kind: 'ledger', count, text });
  return [
    ...(isServing ? [] : [matter(1, 'Paid calls are refused: see whether the database is away.')]),
    ...(settlementLagMs > LAG_MS_MAX
      ? [matter(1, `Charges wait for ${Math.round(settlementLagMs / 1_000)} s: the database is slow.`)]
      : []),
    ...(journaledSettlements > 0
      ? [matter(journaledSettlements, 'Charges are in the journal file and go to the database when it is back.')]
      : []),
    ...(buriedSettlements > 0
      ? [matter(buriedSettlements, 'Charges that the database refused are in a file of their own: see the log.')]
      : []),
  ];
}

const diskMatter = (share: number): Matter => ({
  kind: 'disk',
  count: 1,
  text: `${Math.floor(share * 100)} % of the disk of the data folder is free.`,
});

function jobMatters({ metrics, clock }: AttentionServices): Matter[] {
  const late = metrics.jobs.late(clock.monotonicMs());
  if (late.length === 0) return [];
  return [
    { kind: 'jobs', count: late.length, text: `Background work does not succeed: ${late.join(', ')}. See the log.` },
  ];
}

function routeMatters(services: RouteHealthServices): Matter[] {
  const troubled = routesInTrouble(services).length;
  if (troubled === 0) return [];
  const text = `${plural(troubled, 'route to a provider is', 'routes to providers are')} not well: see Health.`;
  return [{ kind: 'routes', count: troubled, text }];
}

function unpricedMatters({ catalog, clock }: RouteHealthServices): Matter[] {
  const nowMs = clock.nowMs();
  const live = catalog.current().models.filter(({ retiresAtMs }) => retiresAtMs === null || nowMs < retiresAtMs);
  const unpriced = live.filter((model) => !isPriced(model)).length;
  if (unpriced === 0) return [];
  const text = `${plural(unpriced, 'model has', 'models have')} no price and cannot be called: see the catalog.`;
  return [{ kind: 'unpriced_models', count: unpriced, text }];
}

const restrictedMatter = (count: number): Matter => ({
  kind: 'restricted',
  count,
  text: `${plural(count, 'person is', 'people are')} kept out for calls that they left unpaid: see Exposure.`,
});

const absorbedMatter = (absorbedNanoUsd: NanoUsd): Matter => ({
  kind: 'absorbed',
  count: 1,
  text: `Calls cost ${formatUsd(absorbedNanoUsd)} USD in this span that nobody paid: see Ledger.`,
});
