// Models and routes as the catalog would make them, and a routing whose clock and random numbers belong to the test.

import type { Model, Provider, Route } from '../../src/canonical/model.ts';
import type { PriceSchedule } from '../../src/canonical/price.ts';
import type { ProviderPreferences, RequestNeeds } from '../../src/canonical/request.ts';
import type { OfferedRoute } from '../../src/modules/routing/offered-route.ts';
import { type Choice, type ChoiceInput, createRouting, type Routing } from '../../src/modules/routing/routing.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { MovableClock } from '../identity/movable-clock.ts';

export function prices(promptUsd: number, completionUsd = promptUsd, requestUsd = 0): PriceSchedule {
  const nano = (usd: number): bigint => BigInt(Math.round(usd * 1e9));
  const base = {
    prompt: nano(promptUsd),
    completion: nano(completionUsd),
    cacheRead: null,
    cacheWrite: null,
    request: requestUsd === 0 ? null : nano(requestUsd) * 1_000_000n,
    image: null,
    videoSecond: null,
    cacheWriteHour: null,
    search: null,
    webSearch: null,
    hostedTool: null,
    audioSecond: null,
    character: null,
  };
  return { base, tiers: [] };
}

export function provider(name: string, changes: Partial<Provider> = {}): Provider {
  return {
    name,
    protocol: 'openai',
    baseUrl: `http://${name.toLowerCase().replace(/\W+/g, '-')}.test/v1`,
    apiKey: `key-${name}`,
    dataCollection: 'allow',
    speaksResponses: false,
    ...changes,
  };
}

export type RouteSpec = Partial<Route> & Readonly<{ name: string; provider?: Provider }>;

export function model(id: string, specs: readonly RouteSpec[], changes: Partial<Model> = {}): Model {
  return {
    id,
    slug: id.replace('/', '-'),
    name: id,
    description: null,
    contextLength: null,
    completionTokensMax: null,
    inputModalities: ['text'],
    outputModalities: ['text'],
    supportedParameters: null,
    traits: {
      family: 'other',
      keepsOpenAiOnlyFields: true,
      messagesMax: null,
      isThinkingOptIn: false,
      thinkingCompletionMultiplier: 1,
      isReasoningMandatory: false,
      isReasoningAsked: false,
      pictureTokensMax: 4_800,
      picturesExceedContext: false,
      tokenizer: null,
    },
    prices: prices(1),
    free: null,
    retiresAtMs: null,
    deprecationDate: null,
    video: null,
    createdAtMs: 0,
    routes: specs.map(({ name, provider: own, ...route }) => ({
      provider: own ?? provider(name),
      upstreamModel: 'm',
      quantization: null,
      prices: null,
      ...route,
    })),
    ...changes,
  };
}

export const noNeeds: RequestNeeds = {
  tools: false,
  responseFormat: false,
  imageInput: false,
  fileInput: false,
  audioInput: false,
  videoInput: false,
  imageOutput: false,
};

export const noWishes: ProviderPreferences = {
  order: [],
  only: null,
  ignore: [],
  allowFallbacks: true,
  requiredParameters: null,
  dataCollection: 'allow',
  quantizations: null,
  sort: null,
  sortsAcrossModels: false,
  maxPriceUsd: null,
};

/** The same sequence for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}

export class RoutingBench {
  readonly clock = new MovableClock('2026-01-01T00:00:00Z');
  readonly isolations: string[] = [];
  readonly routing: Routing;

  constructor(random: () => number = () => 0) {
    this.routing = createRouting({
      clock: this.clock,
      logger: silentLogger,
      metrics: { routeIsolated: (name, reason) => this.isolations.push(`${name} ${reason}`) },
      random,
    });
  }

  offer(of: Model): readonly OfferedRoute[] {
    return this.routing.offer(of, of.routes);
  }

  choose(of: Model, wishes: Partial<ProviderPreferences> | null = null, changes: Partial<ChoiceInput> = {}): Choice {
    const preferences = wishes === null ? null : { ...noWishes, ...wishes };
    return this.routing.choose({
      offered: this.offer(of),
      preferences,
      sort: preferences?.sort ?? null,
      request: { needs: noNeeds, promptTokensEstimate: 100, isStream: false },
      conversation: null,
      ...changes,
    });
  }

  names(of: Model, wishes: Partial<ProviderPreferences> | null = null, changes: Partial<ChoiceInput> = {}): string[] {
    return this.choose(of, wishes, changes).routes.map((route) => route.provider.name);
  }

  /** So many calls on the route fail in a row. */
  fail(route: OfferedRoute, times = 5, kind: 'unavailable' | 'auth_failed' | 'rate_limited' = 'unavailable'): void {
    for (let call = 0; call < times; call += 1) {
      this.routing.begin(route, false)?.failed({ kind, detail: 'test' }, this.clock.monotonicMs());
    }
  }

  /** A call succeeds on the route after so long, with so many tokens. */
  succeed(route: OfferedRoute, durationMs = 100, tokens = 100): void {
    const attempt = this.routing.begin(route, false);
    const startedMs = this.clock.monotonicMs();
    this.clock.move(durationMs);
    attempt?.succeeded(tokens, startedMs, this.clock.monotonicMs());
  }
}
