// Chooses the routes of a call, and learns from how the call went. What it learns is in memory: a process that has just
// started knows nothing and learns within a few calls.

import type { Model, Provider, ResolvedModel, Route } from '../../canonical/model.ts';
import type { ProviderPreferences, ProviderSort } from '../../canonical/request.ts';
import type { Usage } from '../../canonical/usage.ts';
import { MAIN_KEY } from '../../contract/config-providers.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { createHealthBook, type HealthBook } from './health-book.ts';
import type { KeyState } from './keyring.ts';
import { type OfferedRoute, offerRoutes } from './offered-route.ts';
import { createFilter, orderRoutes, type RequestFacts } from './order-routes.ts';
import { RetryBudget } from './retry-budget.ts';
import { RouteAttempt } from './route-attempt.ts';
import type { RouteMeasurements } from './route-figures.ts';
import type { HealthEvents, Isolation, RouteHealth } from './route-health.ts';
import { addTallies } from './route-tally.ts';
import { Stickiness } from './stickiness.ts';
import type { RouteSums } from './store.ts';

export type ConversationIdentity = Readonly<{
  key: string;
  /** The caller named its session, so it stays with one route whatever the size of its prompts. */
  isSession: boolean;
}>;

export type Choice = Readonly<{
  /** In the order of trying; without those that are isolated. */
  routes: readonly OfferedRoute[];
  /** The route that would be first if all worked. Null when the preferences exclude all. */
  firstChoice: OfferedRoute | null;
  /** Why allowed routes that are missing from `routes` are not used. */
  isolations: readonly Isolation[];
}>;

export type ChoiceInput = Readonly<{
  /** The routes of one model, or of several that are ordered together. */
  offered: readonly OfferedRoute[];
  preferences: ProviderPreferences | null;
  sort: ProviderSort | null;
  request: RequestFacts & Readonly<{ isStream: boolean }>;
  conversation: ConversationIdentity | null;
  /** A route that only another account's calls have found failing is not isolated for this one. */
  accountId?: string;
}>;

/** Keys that were tried are not chosen again. */
type Asking = Readonly<{ accountId?: string; keysTried?: readonly string[] | undefined }>;

export type Routing = Readonly<{
  /** A model's routes in the form for choosing; cheap to call again. */
  offer(model: Model, routes: readonly Route[]): readonly OfferedRoute[];
  choose(input: ChoiceInput): Choice;
  /** Null when the route may not be used now after all. */
  begin(route: OfferedRoute, isStream: boolean, asking?: Asking): RouteAttempt | null;
  hasOtherKey(route: OfferedRoute, asking: Asking): boolean;
  /** Null when the route may be asked now. */
  isolation(route: OfferedRoute, accountId?: string): Isolation | null;
  /** Remembers which route has the conversation's prompt cache, where there is one. */
  served(conversation: ConversationIdentity, route: OfferedRoute, usage: Usage | null): void;
  retryBudget: RetryBudget;
  random(): number;
  healthOf(provider: Provider, upstreamModel: string): ReturnType<HealthBook['route']>;
  isQuarantined(provider: Provider): boolean;
  /** The states of all the provider's keys, for each of these models. */
  keyStates(provider: Provider, upstreamModels: readonly string[]): readonly RouteKeyState[];
  /** For other processes: what was measured here since the last time, and what they have measured. */
  takeFresh(): readonly NamedMeasurements[];
  hear(measured: readonly NamedMeasurements[]): void;
  /** What was counted here of all routes since the last time, for their history. */
  takeSums(): readonly RouteSums[];
}>;

type RouteKeyState = KeyState & Readonly<{ upstreamModel: string }>;

export type NamedMeasurements = RouteMeasurements & Readonly<{ route: string }>;

export type RoutingOptions = Readonly<{
  clock: Clock;
  logger: Logger;
  metrics: Pick<Metrics, 'routeIsolated'>;
  /** From 0 up to 1. */
  random(): number;
  /** A route has failed so often that it is not used for a while. */
  onIsolated?(route: IsolatedRoute): void;
}>;

export type IsolatedRoute = Readonly<{ providerName: string; upstreamModel: string; reason: string }>;

/** Providers do not cache shorter prompts. */
const CACHED_PROMPT_TOKENS_MIN = 1_024;

export function createRouting(options: RoutingOptions): Routing {
  const { clock, random } = options;
  const book = createHealthBook(healthEvents(options));
  const stickiness = new Stickiness();
  const offers = new WeakMap<Model, readonly OfferedRoute[]>();
  const healthOf = (provider: Provider, upstreamModel: string) => ({
    health: book.route(provider, upstreamModel),
    key: book.key(provider),
  });

  return {
    offer(model, routes) {
      let offered = offers.get(model);
      if (offered === undefined) {
        offered = offerRoutes(model, routes, healthOf);
        offers.set(model, offered);
      }
      return offered;
    },
    choose(input) {
      const nowMs = clock.monotonicMs();
      const sticky = input.conversation === null ? null : stickiness.find(input.conversation.key, nowMs);
      return choose(input, { sticky, nowMs, random, accountId: input.accountId });
    },
    begin({ health, key, peers }, isStream, { accountId, keysTried = [] } = {}) {
      const nowMs = clock.monotonicMs();
      if (health.isolation(nowMs, accountId) !== null) return null;
      const parts = { health, key, ringKey: null, peers, isStream, accountId };
      if (health.keys === null) return new RouteAttempt(parts, nowMs);
      const ringKey = health.keys.pick(keysTried, random(), nowMs, accountId);
      return ringKey && new RouteAttempt({ ...parts, key: ringKey.health, ringKey }, nowMs);
    },
    hasOtherKey: ({ health }, { accountId, keysTried = [] }) =>
      health.keys !== null && health.keys.pick(keysTried, 0, clock.monotonicMs(), accountId) !== null,
    isolation: ({ health }, accountId) => health.isolation(clock.monotonicMs(), accountId),
    served(conversation, route, usage) {
      if (!conversation.isSession && !holdsCache(route, usage)) return;
      stickiness.hold(conversation.key, route.health, clock.monotonicMs());
    },
    retryBudget: new RetryBudget(),
    random,
    healthOf: book.route,
    isQuarantined: (provider) => book.key(provider).isQuarantined(clock.monotonicMs()),
    keyStates: (provider, upstreamModels) => keyStates(provider, upstreamModels, book, clock.monotonicMs()),
    takeFresh: () => freshOf(book),
    takeSums: () => sumsOf(book.routes()),
    hear(measured) {
      for (const { route, ...measurements } of measured) book.figures(route).hear(measurements, clock.monotonicMs());
    },
  };
}

function keyStates(
  provider: Provider,
  upstreamModels: readonly string[],
  book: HealthBook,
  nowMs: number,
): readonly RouteKeyState[] {
  if (provider.keys === undefined) {
    const waitMs = book.key(provider).quarantineMs(nowMs);
    return [{ name: MAIN_KEY, upstreamModel: '', reason: waitMs === 0 ? null : 'auth_failed', waitMs }];
  }
  return upstreamModels.flatMap((upstreamModel) =>
    (book.route(provider, upstreamModel).keys?.states(nowMs) ?? []).map((state) => ({ ...state, upstreamModel })),
  );
}

const freshOf = (book: HealthBook): readonly NamedMeasurements[] =>
  [...book.allFigures()].flatMap(([route, figures]) => {
    const fresh = figures.takeFresh();
    return fresh === null ? [] : [{ route, ...fresh }];
  });

/** Routes with the same name, before and after a change of the key, are added up as one. */
function sumsOf(routes: Iterable<RouteHealth>): readonly RouteSums[] {
  const sums = new Map<string, RouteSums>();
  for (const health of routes) {
    const taken = health.takeTally();
    if (taken === null) continue;
    const { providerName, upstreamModel } = health;
    const name = `${providerName}\n${upstreamModel}`;
    const known = sums.get(name);
    sums.set(name, { providerName, upstreamModel, ...(known === undefined ? taken : addTallies(known, taken)) });
  }
  return [...sums.values()];
}

/** A cache that the provider reported, or one that is likely there and makes the next prompt cheaper. */
function holdsCache({ prices }: OfferedRoute, usage: Usage | null): boolean {
  if (usage === null) return false;
  if (usage.cachedTokens > 0 || usage.cacheWriteTokens > 0) return true;
  const { cacheRead, prompt } = prices.base;
  return cacheRead !== null && cacheRead < prompt && usage.promptTokens >= CACHED_PROMPT_TOKENS_MIN;
}

type Circumstances = Readonly<{
  sticky: RouteHealth | null;
  nowMs: number;
  accountId: string | undefined;
  random(): number;
}>;

function choose(input: ChoiceInput, circumstances: Circumstances): Choice {
  const { preferences, request } = input;
  const allowed = preferences === null ? input.offered : input.offered.filter(createFilter(preferences, request));
  const ordered = orderRoutes(allowed, {
    order: preferences?.order ?? [],
    sort: input.sort,
    isStream: request.isStream,
    ...circumstances,
  });
  const firstChoice = ordered[0] ?? null;
  const tried = preferences === null || preferences.allowFallbacks ? ordered : ordered.slice(0, 1);
  const routes: OfferedRoute[] = [];
  const isolations: Isolation[] = [];
  for (const route of tried) {
    const isolation = route.health.isolation(circumstances.nowMs, circumstances.accountId);
    if (isolation === null) routes.push(route);
    else isolations.push(isolation);
  }
  return { routes, firstChoice, isolations };
}

/** The sort that a model's suffix asks for; the caller's own preference counts before it. */
export function sortOf(resolved: ResolvedModel, preferences: ProviderPreferences | null): ProviderSort | null {
  if (preferences !== null && preferences.sort !== null) return preferences.sort;
  for (const shortcut of resolved.shortcuts) {
    if (shortcut === 'floor') return 'price';
    if (shortcut === 'nitro') return 'throughput';
  }
  return null;
}

function healthEvents({ clock, logger, metrics, random, onIsolated }: RoutingOptions): HealthEvents {
  return {
    random,
    nowMs: clock.nowMs,
    isolated({ providerName, upstreamModel }, reason, detail) {
      metrics.routeIsolated(providerName, reason);
      onIsolated?.({ providerName, upstreamModel, reason });
      const fields = { provider: providerName, upstreamModel, reason, detail };
      if (reason === 'auth_failed') logger.error(fields, 'a provider refuses the key of the gateway');
      else logger.warn(fields, 'a route is isolated');
    },
    keySetAside({ providerName, upstreamModel }, keyName, { kind, detail }) {
      const fields = { provider: providerName, upstreamModel, key: keyName, reason: kind, detail };
      if (kind === 'auth_failed')
        logger.error(fields, 'a provider refuses one of its keys, which is not used for a while');
      else logger.warn(fields, 'a provider limits one of its keys, which is not used for a while');
    },
  };
}
