// Which routes the caller's wishes allow. Health plays no part here: a route that is excluded stays excluded even when it
// is the only one that works.

import { type PriceList, selectPriceList } from '../../canonical/price.ts';
import type { ProviderPreferences, RequestBase } from '../../canonical/request.ts';
import { type NanoUsd, parseUsdJson } from '../../platform/money.ts';
import { type OfferedRoute, slugOf } from './offered-route.ts';

export type RequestFacts = Pick<RequestBase, 'needs' | 'promptTokensEstimate'>;

/** One test for one route, made once for a call. */
type RouteFilter = (route: OfferedRoute) => boolean;

export function createFilter(preferences: ProviderPreferences, request: RequestFacts): RouteFilter {
  const only = namesOrNull(preferences.only);
  const ignored = new Set(preferences.ignore.map(slugOf));
  const quantizations = wordsOrNull(preferences.quantizations);
  const parameters = requiredParameters(preferences, request);
  const limits = priceLimits(preferences.maxPriceUsd);
  return (route) => {
    if (only !== null && !only.has(route.slug)) return false;
    if (ignored.has(route.slug)) return false;
    if (preferences.dataCollection === 'deny' && route.provider.dataCollection !== 'deny') return false;
    if (quantizations !== null && !quantizations.has(route.quantization)) return false;
    if (!supportsAll(route.model.supportedParameters, parameters)) return false;
    return limits.length === 0 || isWithin(limits, selectPriceList(route.prices, request.promptTokensEstimate));
  };
}

/** An empty list names nobody to restrict to; clients send it for "not set". */
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

/** One capability, two names in use. */
const sameParameter: Readonly<Record<string, string>> = {
  response_format: 'structured_outputs',
  structured_outputs: 'response_format',
  reasoning: 'include_reasoning',
  logprobs: 'top_logprobs',
};

/** A catalog that does not say what a model supports excludes nothing. */
function supportsAll(supported: readonly string[] | null, required: readonly string[]): boolean {
  if (supported === null) return true;
  return required.every((name) => {
    const other = sameParameter[name];
    return supported.includes(name) || (other !== undefined && supported.includes(other));
  });
}

type PriceLimit = Readonly<{ name: keyof PriceList; limit: NanoUsd }>;

/** How callers write a limit: per million tokens, or per unit as the price itself is written. */
const priceNames: Readonly<Record<string, Readonly<{ name: keyof PriceList; unitsPerPrice: bigint }>>> = {
  prompt: { name: 'prompt', unitsPerPrice: 1n },
  completion: { name: 'completion', unitsPerPrice: 1n },
  request: { name: 'request', unitsPerPrice: 1_000_000n },
  image: { name: 'image', unitsPerPrice: 1_000_000n },
};

function priceLimits(maxPriceUsd: ProviderPreferences['maxPriceUsd']): readonly PriceLimit[] {
  return Object.entries(maxPriceUsd ?? {}).flatMap(([word, usd]) => {
    const known = Object.hasOwn(priceNames, word) ? priceNames[word] : undefined;
    const amount = parseUsdJson(usd);
    // An amount beyond every price limits nothing.
    return known === undefined || amount === null ? [] : [{ name: known.name, limit: amount * known.unitsPerPrice }];
  });
}

function isWithin(limits: readonly PriceLimit[], list: PriceList): boolean {
  return limits.every(({ name, limit }) => (list[name] ?? 0n) <= limit);
}
