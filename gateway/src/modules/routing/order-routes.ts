// In which order the routes that remain are tried. The caller's own order and sort are obeyed to the letter; without them
// the choice is a draw in which a route at half the price is four times as likely to come first.

import type { ProviderSort } from '../../canonical/request.ts';
import { type OfferedRoute, slugOf } from './offered-route.ts';
import type { RouteHealth } from './route-health.ts';

type OrderWishes = Readonly<{
  order: readonly string[];
  sort: ProviderSort | null;
  /** The route that holds the conversation's prompt cache. */
  sticky: RouteHealth | null;
  isStream: boolean;
  nowMs: number;
  random(): number;
}>;

export function orderRoutes(routes: readonly OfferedRoute[], wishes: OrderWishes): readonly OfferedRoute[] {
  if (routes.length < 2) return routes;
  if (wishes.order.length === 0) return orderRest(routes, wishes);
  const listed = new Set<OfferedRoute>();
  for (const name of wishes.order) {
    const slug = slugOf(name);
    for (const route of routes) if (route.slug === slug) listed.add(route);
  }
  const rest = routes.filter((route) => !listed.has(route));
  return [...listed, ...orderRest(rest, wishes)];
}

function orderRest(routes: readonly OfferedRoute[], wishes: OrderWishes): readonly OfferedRoute[] {
  return wishes.sort === null ? draw(routes, wishes) : sortBy(wishes.sort, routes, wishes);
}

/** Ties keep the order of the configuration, because sorting is stable. */
function sortBy(sort: ProviderSort, routes: readonly OfferedRoute[], wishes: OrderWishes): readonly OfferedRoute[] {
  const { nowMs, isStream } = wishes;
  switch (sort) {
    case 'price':
      return [...routes].sort(comparePrices);
    case 'latency':
      return sortByFigure(routes, ({ health }) => health.latencyMs(isStream, nowMs));
    case 'throughput':
      return sortByFigure(routes, ({ health }) => negated(health.tokensPerSecond(nowMs)));
  }
}

/** By the listed input price, then by the rest. */
function comparePrices(left: OfferedRoute, right: OfferedRoute): number {
  const { prompt } = left.prices.base;
  const { prompt: other } = right.prices.base;
  if (prompt !== other) return prompt < other ? -1 : 1;
  return left.referencePrice - right.referencePrice;
}

/** Smaller first. A route that was never measured goes before all: nothing else would ever measure it. */
function sortByFigure(
  routes: readonly OfferedRoute[],
  figureOf: (route: OfferedRoute) => number | null,
): readonly OfferedRoute[] {
  return routes
    .map((route) => ({ route, figure: figureOf(route) ?? Number.NEGATIVE_INFINITY }))
    .sort((left, right) => (left.figure === right.figure ? 0 : left.figure - right.figure))
    .map(({ route }) => route);
}

function negated(figure: number | null): number | null {
  return figure === null ? null : -figure;
}

/** Free and dear routes can be weighed too: no price counts as less than this. */
const REFERENCE_PRICE_MIN = 1;

/**
 * Healthy routes first, each group in the order of one weighted draw. An exponentially distributed time with rate
 * 1/price² for every route, sorted, is a draw without replacement by those weights.
 */
function draw(routes: readonly OfferedRoute[], wishes: OrderWishes): readonly OfferedRoute[] {
  return routes
    .map((route) => {
      const price = Math.max(route.referencePrice, REFERENCE_PRICE_MIN);
      return { route, rank: rankOf(route, wishes), time: -Math.log(1 - wishes.random()) * price * price };
    })
    .sort((left, right) => left.rank - right.rank || left.time - right.time)
    .map(({ route }) => route);
}

/** A route due for its probe goes before the healthy ones, or it would never come back while they are there. */
function rankOf({ health, key }: OfferedRoute, { sticky, nowMs }: OrderWishes): number {
  if (health.isolation(nowMs) !== null) return 4;
  if (key.isQuarantined(nowMs)) return 3;
  if (health === sticky) return 0;
  return health.isDueForProbe(nowMs) ? 1 : 2;
}
