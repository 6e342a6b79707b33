// A route of a model with everything that choosing needs, made once for each catalog snapshot. Its health outlives the
// snapshot.

import type { Model, Provider, Route } from '../../canonical/model.ts';
import type { PriceList, PriceSchedule } from '../../canonical/price.ts';
import type { KeyHealth } from './key-health.ts';
import type { RouteHealth } from './route-health.ts';

export type OfferedRoute = Readonly<{
  model: Model;
  provider: Provider;
  upstreamModel: string;
  prices: PriceSchedule;
  /** The provider's name as callers may spell it: any case, any separators. */
  slug: string;
  quantization: string;
  /** For comparing routes, never for charging. */
  referencePrice: number;
  health: RouteHealth;
  key: KeyHealth;
  /** The health of all routes of this model. */
  peers: readonly RouteHealth[];
}>;

/** The value by which callers ask for routes that state no quantization. */
const QUANTIZATION_UNKNOWN = 'unknown';

type HealthOf = (provider: Provider, upstreamModel: string) => Readonly<{ health: RouteHealth; key: KeyHealth }>;

/** Routes without a price are not offered. */
export function offerRoutes(model: Model, routes: readonly Route[], healthOf: HealthOf): readonly OfferedRoute[] {
  const peers: RouteHealth[] = [];
  const offered: OfferedRoute[] = [];
  for (const { provider, upstreamModel, quantization, prices: own } of routes) {
    const prices = own ?? model.prices;
    if (prices === null) continue;
    const { health, key } = healthOf(provider, upstreamModel);
    peers.push(health);
    offered.push({
      model,
      provider,
      upstreamModel,
      prices,
      slug: slugOf(provider.name),
      quantization: quantization?.toLowerCase() ?? QUANTIZATION_UNKNOWN,
      referencePrice: referencePrice(prices.base),
      health,
      key,
      peers,
    });
  }
  return offered;
}

export function slugOf(providerName: string): string {
  return providerName
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** What a call of medium size would cost: a thousand tokens or characters each way, and one of everything else. */
function referencePrice(list: PriceList): number {
  const perThousand = list.prompt + list.completion + (list.character ?? 0n);
  const perOne = (list.request ?? 0n) + (list.image ?? 0n) + (list.videoSecond ?? 0n) + (list.audioSecond ?? 0n);
  return Number(perThousand) * 1_000 + Number(perOne);
}
