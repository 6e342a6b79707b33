// The order in which the remaining routes are tried. The caller's own order and sort are followed exactly; without them
// the order is drawn at random, and a route at half the price is four times as likely to come first.

import { type PriceList, selectPriceList } from '../../canonical/price.ts';
import type { ProviderPreferences, ProviderSort, RequestBase } from '../../canonical/request.ts';
import { type NanoUsd, parsePricePerMillion, parsePricePerUnit } from '../../platform/money.ts';
import { type OfferedRoute, slugOf } from './offered-route.ts';
import type { RouteHealth } from './route-health.ts';

type OrderWishes = Readonly<{
  order: readonly string[];
  sort: ProviderSort | null;
  /** The route that holds the conversation's prompt cache. */
  sticky: RouteHealth | null;
  isStream: boolean;
  nowMs: number;
  accountId: string | undefined;
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

/** Smaller first. A route that was never measured goes first, because otherwise it would never be measured. */
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

/** No price counts as less than this, so that free routes can be drawn too. */
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

/**
 * A route that is due for its probe goes before the healthy ones; otherwise it would never come back while they work.
 */
function rankOf({ health, key }: OfferedRoute, { sticky, nowMs, accountId }: OrderWishes): number {
  if (health.isolation(nowMs, accountId) !== null) return 4;
  if (key.isQuarantined(nowMs, accountId)) return 3;
  if (health === sticky) return 0;
  return health.isDueForProbe(nowMs, accountId) ? 1 : 2;
}

// Which routes the caller's preferences allow. Health plays no part here: an excluded route stays excluded even when it
// is the only one that works.

export type RequestFacts = Pick<RequestBase, 'needs' | 'promptTokensEstimate'>;

/** One test for one route, made once for a call. */
type RouteFilter = (route: OfferedRoute) => boolean;

export function createFilter(preferences: ProviderPreferences, request: RequestFacts): RouteFilter {
  const only = namesOrNull(preferences.only);
  // A provider that the caller's order does not name is a fallback too.
  const named = preferences.allowFallbacks ? null : namesOrNull(preferences.order);
  const ignored = new Set(preferences.ignore.map(slugOf));
  const quantizations = wordsOrNull(preferences.quantizations);
  const parameters = requiredParameters(preferences, request);
  const limits = priceLimits(preferences.maxPriceUsd);
  return (route) => {
    if (only !== null && !only.has(route.slug)) return false;
    if (named !== null && !named.has(route.slug)) return false;
    if (ignored.has(route.slug)) return false;
    if (preferences.dataCollection === 'deny' && route.provider.dataCollection !== 'deny') return false;
    if (quantizations !== null && !quantizations.has(route.quantization)) return false;
    if (!supportsAll(route.model.supportedParameters, parameters)) return false;
    return limits.length === 0 || isWithin(limits, selectPriceList(route.prices, request.promptTokensEstimate));
  };
}

/** An empty list does not restrict; clients send it for "not set". */
function namesOrNull(names: readonly string[] | null): ReadonlySet<string> | null {
  return names === null || names.length === 0 ? null : new Set(names.map(slugOf));
}

function wordsOrNull(words: readonly string[] | null): ReadonlySet<string> | null {
  return words === null || words.length === 0 ? null : new Set(words.map((word) => word.toLowerCase()));
}

function requiredParameters({ requiredParameters: sent }: ProviderPreferences, { needs }: RequestFacts): string[] {
  if (sent === null) return [];
  return [...sent, ...(needs.tools ? ['tools'] : []), ...(needs.responseFormat ? ['response_format'] : [])];
}

/** Two names in use for one parameter. */
const sameParameter: Readonly<Record<string, string>> = {
  response_format: 'structured_outputs',
  structured_outputs: 'response_format',
  reasoning: 'include_reasoning',
  logprobs: 'top_logprobs',
};

/** A model whose parameters the catalog does not state is not excluded. */
function supportsAll(supported: readonly string[] | null, required: readonly string[]): boolean {
  if (supported === null) return true;
  return required.every((name) => {
    const other = sameParameter[name];
    return supported.includes(name) || (other !== undefined && supported.includes(other));
  });
}

type PriceLimit = Readonly<{ name: keyof PriceList; limit: NanoUsd }>;

type LimitForm = Readonly<{ name: keyof PriceList; decimals: number; parse(text: string): NanoUsd | null }>;

const perMillion = { decimals: 9, parse: parsePricePerMillion };
const perUnit = { decimals: 15, parse: parsePricePerUnit };

/** The names by which callers write a price limit: per million tokens, or per unit as the price itself is written. */
const limitForms: Readonly<Record<string, LimitForm>> = {
  prompt: { name: 'prompt', ...perMillion },
  completion: { name: 'completion', ...perMillion },
  request: { name: 'request', ...perUnit },
  image: { name: 'image', ...perUnit },
};

function priceLimits(maxPriceUsd: ProviderPreferences['maxPriceUsd']): readonly PriceLimit[] {
  return Object.entries(maxPriceUsd ?? {}).flatMap(([word, usd]) => {
    const form = Object.hasOwn(limitForms, word) ? limitForms[word] : undefined;
    if (form === undefined) return [];
    // Callers compute limits, and a third has no end: it is as fine as prices are.
    const limit = form.parse(String(usd)) ?? form.parse(usd.toFixed(form.decimals));
    // An amount above every possible price limits nothing.
    return limit === null ? [] : [{ name: form.name, limit }];
  });
}

function isWithin(limits: readonly PriceLimit[], list: PriceList): boolean {
  return limits.every(({ name, limit }) => (list[name] ?? 0n) <= limit);
}
