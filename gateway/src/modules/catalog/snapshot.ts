// The live catalog as a value: every lookup a call makes is a Map lookup in here, whatever the catalog's size. A change
// makes a new snapshot; the old one stays valid for the calls that started with it.

import { DAY_MS, HOUR_MS } from '../../canonical/calendar.ts';
import type { FamilyTraits, Model, Provider, ResolvedModel, Route, UpstreamTimeouts } from '../../canonical/model.ts';
import type { PriceSchedule } from '../../canonical/price.ts';
import {
  AUTO_TABLES,
  type AutoTable,
  type AutoTier,
  type ConfigDocument,
  type ModelEntry,
  type ModelRouteEntry,
  type ModerationEntry,
} from '../../contract/config.ts';
import type { GuardEntry } from '../../contract/config-guards.ts';
import type { ProviderEntry, TimeoutsEntry } from '../../contract/config-providers.ts';
import { assert } from '../../platform/assert.ts';
import { type NanoUsd, parseUsd } from '../../platform/money.ts';
import type { Families, NamingRules } from './families.ts';
import { type MarkUp, markupsOf } from './markups.ts';
import { bareNameOf, slugOf, spellingOf, vendorOf } from './model-names.ts';
import { buildNameIndex, type NameIndex } from './name-index.ts';
import { interpolate, type Variables } from './parse-document.ts';
import { modelPrices, multiplierMillionths, routePrices } from './prices.ts';
import { addressOf, keysOf, type NamedKey, settingsOf } from './protocols.ts';

/** The specification's figures, where the document sets none. */
export const FREE_QUOTA_DEFAULT: NonNullable<Model['free']> = { requestsPerMinute: 10, requestsPerDay: 150 };
const AUTO_FREE_ADDRESS_PER_MINUTE = 10;
const AUTO_FREE_ADDRESS_PER_DAY = 150;
/** How many users of one network may use up their free quotas, and the longest free answer. */
const FREE_USERS_PER_NETWORK = 10;
const FREE_OUTPUT_TOKENS = 4_096;
const FREE_TIER_PER_MINUTE = 20;
const PAID_TIER_PER_MINUTE = 200;
const OWN_CALLS_PER_DAY = 100_000;

/** What a user's calls may cost us unpaid: this amount and a tenth of the customer's money. */
const UNPAID_COST_USD = '1';
const UNPAID_PAID_PERCENT = 10;
const UNPAID_RECOVERY_HOURS = 24;
const UNPAID_BLOCK_SECONDS = 600;

type AutoTierSetting = Readonly<{ isEnabled: boolean; modelNames: readonly string[] }>;

export type CatalogSnapshot = Readonly<{
  revision: bigint;
  /** In the operator's order. */
  models: readonly Model[];
  providers: ReadonlyMap<string, Provider>;
  byId: NameIndex;
  byBareName: NameIndex;
  bySlug: ReadonlyMap<string, Model>;
  /** When models retire that have left the document and had a last day. */
  retirements: Readonly<{ bySpelling: ReadonlyMap<string, number>; bySlug: ReadonlyMap<string, number> }>;
  wildcards: Readonly<{
    /** By full id, for ids that the catalog does not have. */
    ids: ReadonlySet<string>;
    byVendor: ReadonlyMap<string, Provider>;
    everything: Provider | null;
    fallback: Provider | null;
  }>;
  auto: Readonly<Record<AutoTable, ReadonlyMap<AutoTier, AutoTierSetting>>>;
  limits: Readonly<{ freeRequestsPerMinute: number; paidRequestsPerMinute: number; ownCallsPerDay: number }>;
  /** What one address may have through the free table of the auto router, for all its callers together. */
  autoFreePerAddress: Readonly<{ requestsPerMinute: number; unitsPerDay: number }>;
  /** Bounds on free calls beyond each user's quota. */
  free: Readonly<{ usersPerNetwork: number; outputTokensMax: number }>;
  unpaid: Readonly<{ baseNanoUsd: NanoUsd; paidPercent: number; recoveryMs: number; blockMs: number }>;
  accounts: Readonly<{
    welcomeNanoUsd: NanoUsd;
    contact: string | null;
    hasPublicModels: boolean;
    operatorsNeedSecondFactor: boolean;
  }>;
  /** Whether a stream that the client cancels is charged for what was delivered. */
  isAbandonedCharged: boolean;
  moderation: ModerationEntry;
  /** The operator's own, by name. */
  guards: Readonly<Record<string, GuardEntry>>;
  naming: NamingRules;
  /** Names already resolved; filled and bounded by resolve.ts. */
  resolutions: Readonly<{ fullNames: Map<string, ResolvedModel>; anyNames: Map<string, ResolvedModel> }>;
}>;

/** What the database remembers of a model beyond the document. */
export type ModelHistory = Readonly<{ id: string; firstSeenAtMs: number; deprecationDate: string | null }>;

type SnapshotInput = Readonly<{
  revision: bigint;
  document: ConfigDocument;
  history: readonly ModelHistory[];
  families: Families;
  lateVariables: Variables;
}>;

export function buildSnapshot(input: SnapshotInput): CatalogSnapshot {
  const { document } = input;
  const providers = new Map<string, Provider>();
  const prices = new Map<string, Map<string, PriceSchedule>>();
  for (const [name, entry] of Object.entries(document.providers ?? {})) {
    const pricesByModel = new Map<string, PriceSchedule>();
    prices.set(name, pricesByModel);
    const provider = {
      ...buildProvider(name, entry, input.lateVariables),
      pricesByModel,
      ...buildTimeouts({ ...document.timeouts, ...entry.timeouts }),
    };
    providers.set(name, withKeys(provider, keysOf(entry)));
  }
  const context: ModelContext = {
    providers,
    exactRoutes: new Map(Object.entries(document.routes ?? {})),
    families: input.families,
    markUp: markupsOf(document),
    firstSeenAtMs: new Map(input.history.map((known) => [known.id, known.firstSeenAtMs])),
  };
  const models = Object.entries(document.models ?? {}).map(([id, entry]) => buildModel(id, entry, context));
  const snapshot: CatalogSnapshot = {
    revision: input.revision,
    models,
    providers,
    byId: buildNameIndex(models, (model) => model.id),
    byBareName: buildNameIndex(models, (model) => bareNameOf(model.id)),
    bySlug: new Map(models.map((model) => [model.slug, model])),
    retirements: rememberedRetirements(input.history, document),
    wildcards: buildWildcards(document, providers),
    auto: buildAutoTables(document),
    limits: {
      freeRequestsPerMinute: document.limits?.free_requests_per_minute ?? FREE_TIER_PER_MINUTE,
      paidRequestsPerMinute: document.limits?.paid_requests_per_minute ?? PAID_TIER_PER_MINUTE,
      ownCallsPerDay: document.limits?.own_upstream_calls_per_day ?? OWN_CALLS_PER_DAY,
    },
    autoFreePerAddress: {
      requestsPerMinute: document.limits?.auto_free_ip_requests_per_minute ?? AUTO_FREE_ADDRESS_PER_MINUTE,
      unitsPerDay: document.limits?.auto_free_ip_requests_per_day ?? AUTO_FREE_ADDRESS_PER_DAY,
    },
    free: {
      usersPerNetwork: document.limits?.free_users_per_network ?? FREE_USERS_PER_NETWORK,
      outputTokensMax: document.limits?.free_output_tokens ?? FREE_OUTPUT_TOKENS,
    },
    unpaid: buildUnpaid(document),
    accounts: buildAccounts(document),
    isAbandonedCharged: document.limits?.abandoned === 'charge',
    moderation: document.moderation ?? {},
    guards: document.guards ?? {},
    naming: input.families.naming,
    resolutions: { fullNames: new Map(), anyNames: new Map() },
  };
  fillPrices(prices, snapshot);
  return snapshot;
}

/** Of several models behind one upstream name of a provider, the first in the operator's order counts. */
function fillPrices(prices: ReadonlyMap<string, Map<string, PriceSchedule>>, snapshot: CatalogSnapshot): void {
  for (const model of snapshot.models) {
    for (const { provider, upstreamModel, prices: own } of routesOf(snapshot, model)) {
      const known = prices.get(provider.name);
      const schedule = own ?? model.prices;
      if (schedule !== null && known?.has(upstreamModel) === false) known.set(upstreamModel, schedule);
    }
  }
}

const MS_PER_SECOND = 1_000;

/** The stated timeouts, by the names that the pipeline uses. */
function buildTimeouts(entry: TimeoutsEntry): Pick<Provider, 'timeouts'> {
  const named: readonly (readonly [keyof UpstreamTimeouts, number | undefined])[] = [
    ['connectMs', entry.connect_seconds],
    ['streamFirstByteMs', entry.first_byte_seconds],
    ['wholeFirstByteMs', entry.whole_seconds],
    ['idleMs', entry.stall_seconds],
    ['totalMs', entry.total_seconds],
  ];
  const stated = named.flatMap(([name, seconds]) => (seconds === undefined ? [] : [[name, seconds * MS_PER_SECOND]]));
  return stated.length === 0 ? {} : { timeouts: Object.fromEntries(stated) };
}

function buildAccounts({ accounts }: ConfigDocument): CatalogSnapshot['accounts'] {
  const welcomeNanoUsd = parseUsd(accounts?.welcome_credit_usd ?? '0');
  assert(welcomeNanoUsd !== null, 'the schema lets only exact amounts through');
  return {
    welcomeNanoUsd,
    contact: accounts?.contact ?? null,
    hasPublicModels: accounts?.public_models ?? false,
    operatorsNeedSecondFactor: accounts?.operators_need_second_factor ?? false,
  };
}

function buildUnpaid({ limits }: ConfigDocument): CatalogSnapshot['unpaid'] {
  const baseNanoUsd = parseUsd(limits?.unpaid_cost_usd ?? UNPAID_COST_USD);
  assert(baseNanoUsd !== null, 'the schema lets only exact amounts through');
  return {
    baseNanoUsd,
    paidPercent: limits?.unpaid_paid_percent ?? UNPAID_PAID_PERCENT,
    recoveryMs: (limits?.unpaid_recovery_hours ?? UNPAID_RECOVERY_HOURS) * HOUR_MS,
    blockMs: (limits?.unpaid_block_seconds ?? UNPAID_BLOCK_SECONDS) * 1000,
  };
}

function buildProvider(name: string, entry: ProviderEntry, lateVariables: Variables): Provider {
  const settings = settingsOf(entry);
  return {
    name,
    protocol: entry.protocol,
    baseUrl: String(interpolate({ url: addressOf(entry) ?? '' }, lateVariables, new Set()).url).replace(/\/+$/, ''),
    apiKey: keysOf(entry)[0]?.key ?? '',
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
    dataCollection: entry.data_collection ?? 'allow',
    speaksResponses: entry.responses ?? false,
    ...(entry.completions === true ? { speaksCompletions: true } : {}),
    ...(entry.plugins === undefined ? {} : { takesPlugins: entry.plugins }),
  };
}

function withKeys(provider: Provider, keys: readonly NamedKey[]): Provider {
  if (keys.length < 2) return provider;
  return {
    ...provider,
    keys: keys.map(({ name, key, weight }) => ({ name, weight, provider: { ...provider, apiKey: key } })),
  };
}

type ModelContext = Readonly<{
  providers: ReadonlyMap<string, Provider>;
  exactRoutes: ReadonlyMap<string, ModelRouteEntry>;
  families: Families;
  markUp: MarkUp;
  firstSeenAtMs: ReadonlyMap<string, number>;
}>;

function buildModel(id: string, entry: ModelEntry, context: ModelContext): Model {
  const cost = modelPrices(entry);
  const traits: FamilyTraits = context.families.traitsOf(id, entry.family);
  const exactRoute = context.exactRoutes.get(id);
  const routeEntries = [...(entry.routes ?? []), ...(exactRoute === undefined ? [] : [exactRoute])];
  const routes = routeEntries.map((route): Route => {
    const provider = context.providers.get(route.provider);
    assert(provider !== undefined, 'routes are validated before they are used');
    return {
      provider,
      upstreamModel: route.upstream_model ?? bareNameOf(id),
      quantization: route.quantization ?? null,
      prices: context.markUp(id, routePrices(route, entry, cost)),
    };
  });
  return {
    id,
    slug: slugOf(id),
    name: entry.name ?? bareNameOf(id),
    description: entry.description ?? null,
    contextLength: entry.context_length ?? null,
    completionTokensMax: entry.max_completion_tokens ?? null,
    inputModalities: entry.input_modalities ?? ['text'],
    outputModalities: entry.output_modalities ?? ['text'],
    supportedParameters: entry.supported_parameters ?? null,
    traits,
    prices: context.markUp(id, cost),
    free: entry.free === undefined ? null : freeQuota(entry.free),
    retiresAtMs: entry.deprecation_date === undefined ? null : retirementMs(entry.deprecation_date),
    deprecationDate: entry.deprecation_date ?? null,
    video: entry.video === undefined ? null : videoOptions(entry.video),
    ...(entry.image === undefined ? {} : { image: imageOptions(entry.image) }),
    createdAtMs: context.firstSeenAtMs.get(id) ?? 0,
    routes,
  };
}

function freeQuota(free: NonNullable<ModelEntry['free']>): Model['free'] {
  return {
    requestsPerMinute: free.requests_per_minute ?? FREE_QUOTA_DEFAULT.requestsPerMinute,
    requestsPerDay: free.requests_per_day ?? FREE_QUOTA_DEFAULT.requestsPerDay,
  };
}

function videoOptions(video: NonNullable<ModelEntry['video']>): Model['video'] {
  return {
    durations: video.durations ?? [],
    resolutions: video.resolutions ?? [],
    aspectRatios: video.aspect_ratios ?? [],
    tasks: video.tasks ?? null,
    resolutionMillionths: new Map(
      Object.entries(video.resolution_multipliers ?? {}).map(([name, text]) => [name, multiplierMillionths(text)]),
    ),
    audioMillionths: video.audio_multiplier === undefined ? null : multiplierMillionths(video.audio_multiplier),
  };
}

function imageOptions(image: NonNullable<ModelEntry['image']>): NonNullable<Model['image']> {
  return { sizes: image.sizes ?? [], imagesMax: image.max_images ?? null };
}

/** The date is the last day of service, so the model retires at the midnight that ends it. */
function retirementMs(deprecationDate: string): number {
  return Date.parse(`${deprecationDate}T00:00:00Z`) + DAY_MS;
}

function rememberedRetirements(
  history: readonly ModelHistory[],
  document: ConfigDocument,
): CatalogSnapshot['retirements'] {
  const models = document.models ?? {};
  const bySpelling = new Map<string, number>();
  const bySlug = new Map<string, number>();
  for (const known of history) {
    if (known.deprecationDate === null || Object.hasOwn(models, known.id)) continue;
    bySpelling.set(spellingOf(known.id), retirementMs(known.deprecationDate));
    bySlug.set(slugOf(known.id), retirementMs(known.deprecationDate));
  }
  return { bySpelling, bySlug };
}

function buildWildcards(
  document: ConfigDocument,
  providers: ReadonlyMap<string, Provider>,
): CatalogSnapshot['wildcards'] {
  const byVendor = new Map<string, Provider>();
  const ids = new Set<string>();
  for (const [pattern, route] of Object.entries(document.routes ?? {})) {
    const provider = providers.get(route.provider);
    assert(provider !== undefined, 'routes are validated before they are used');
    if (pattern.endsWith('/*')) byVendor.set(pattern.slice(0, -2), provider);
    else if (pattern !== '*') ids.add(pattern);
  }
  const named = (name: string | undefined): Provider | null =>
    name === undefined ? null : (providers.get(name) ?? null);
  return {
    ids,
    byVendor,
    everything: named(document.routes?.['*']?.provider),
    fallback: named(document.default_provider),
  };
}

function buildAutoTables(document: ConfigDocument): CatalogSnapshot['auto'] {
  const tables = { paid: new Map<AutoTier, AutoTierSetting>(), free: new Map<AutoTier, AutoTierSetting>() };
  for (const table of AUTO_TABLES) {
    for (const [tier, entry] of Object.entries(document.auto?.[table] ?? {})) {
      tables[table].set(tier as AutoTier, { isEnabled: entry.enabled ?? true, modelNames: entry.models ?? [] });
    }
  }
  return tables;
}

// Which providers may serve a model: the routes of the first level that has any. The levels are the model's own routes,
// `<vendor>/*`, `*`, and the default provider. A lower level never replaces an upper one that failed, because it was
// written for models without routes of their own.

const routesByModel = new WeakMap<Model, readonly Route[]>();

export function routesOf(snapshot: CatalogSnapshot, model: Model): readonly Route[] {
  const known = routesByModel.get(model);
  if (known !== undefined) return known;
  const routes = findRoutes(snapshot, model);
  routesByModel.set(model, routes);
  return routes;
}

function findRoutes(snapshot: CatalogSnapshot, model: Model): readonly Route[] {
  if (model.routes.length > 0) return model.routes;
  const { byVendor, everything, fallback } = snapshot.wildcards;
  const vendor = vendorOf(model.id);
  const ofVendor = byVendor.get(vendor);
  if (ofVendor !== undefined) return [routeTo(ofVendor, bareNameOf(model.id))];
  const provider = everything ?? fallback;
  if (provider === null) return [];
  // A provider that carries the vendor's name knows its models by short names; any other needs the full id.
  return [routeTo(provider, provider.name === vendor ? bareNameOf(model.id) : model.id)];
}

function routeTo(provider: Provider, upstreamModel: string): Route {
  return { provider, upstreamModel, quantization: null, prices: null };
}
