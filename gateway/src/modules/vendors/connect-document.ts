// Adds a provider and chosen models to the config document. Nothing is lost: a simulator's provider of the same name
// gets another name, prices that an operator has set stay, and a model that another provider serves gets a further
// route.

import type { JsonObject } from '../../canonical/json.ts';
import type { ConfigDocument, ModelEntry, ModelRouteEntry } from '../../contract/config.ts';
import type { ProviderEntry } from '../../contract/config-providers.ts';
import type { Offer } from './offers.ts';

export type Connection = Readonly<{
  name: string;
  /** With its key in clear text. */
  entry: ProviderEntry;
  offers: readonly Offer[];
}>;

type Models = Record<string, ModelEntry>;

/** Its address is filled in when the gateway starts, so it is the gateway's own simulator. */
const isSimulated = (provider: ProviderEntry | undefined): boolean => provider?.base_url?.includes('${') === true;

export const simulatedProviders = ({ providers = {} }: ConfigDocument): ReadonlySet<string> =>
  new Set(Object.keys(providers).filter((name) => isSimulated(providers[name])));

export function withProvider(live: ConfigDocument, connection: Connection): JsonObject {
  const { name, entry, offers } = connection;
  const before = isSimulated(live.providers?.[name]) ? withSimulatorAside(live, name) : live;
  const existing = before.providers?.[name];
  const simulated = simulatedProviders(before);
  const models: Models = { ...before.models };
  for (const offer of offers) models[offer.id] = modelWith(models[offer.id], offer, { name, simulated });
  return {
    ...before,
    providers: { ...before.providers, [name]: existing === undefined ? entry : { ...existing, ...entry } },
    models,
  };
}

/** Gives the simulator's provider a free name, and changes its routes with it. */
function withSimulatorAside(live: ConfigDocument, name: string): ConfigDocument {
  const { [name]: simulator, ...providers } = live.providers ?? {};
  if (simulator === undefined) return live;
  const aside = `${name}-simulated`;
  const renamed = <Route extends Readonly<{ provider: string }>>(route: Route): Route =>
    route.provider === name ? { ...route, provider: aside } : route;
  const mapValues = <Value>(record: Record<string, Value>, map: (value: Value) => Value): Record<string, Value> =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
  return {
    ...live,
    // The simulator accepts any key, and a mask is valid only under the name that it was given for.
    providers: { ...providers, [aside]: { ...simulator, api_key: 'simulated' } },
    models: mapValues(live.models ?? {}, (model) =>
      model.routes === undefined ? model : { ...model, routes: model.routes.map(renamed) },
    ),
    ...(live.routes === undefined ? {} : { routes: mapValues(live.routes, renamed) }),
    ...(live.default_provider === name ? { default_provider: aside } : {}),
  };
}

type Where = Readonly<{ name: string; simulated: ReadonlySet<string> }>;

function modelWith(existing: ModelEntry | undefined, offer: Offer, { name, simulated }: Where): ModelEntry {
  const route: ModelRouteEntry = { provider: name, upstream_model: offer.upstreamModel };
  const routes = existing?.routes ?? [];
  const isOnlySimulated = existing !== undefined && routes.every(({ provider }) => simulated.has(provider));
  if (existing === undefined || isOnlySimulated) {
    // Prices are taken from the vendor as a whole; other facts that it does not state stay as they were.
    const { pricing: _pricing, pricing_tiers: _tiers, price_source: _source, ...described } = existing ?? {};
    return { ...described, ...offer.entry, routes: [route] };
  }
  if (routes.some(({ provider }) => provider === name)) return existing;
  const real = routes.filter(({ provider }) => !simulated.has(provider));
  return { ...existing, routes: [...real, { ...route, ...ownPrices(existing, offer) }] };
}

/** What a further vendor takes where it differs from what the model costs. */
function ownPrices(existing: ModelEntry, { entry, priceSource }: Offer): Partial<ModelRouteEntry> {
  const { pricing, pricing_tiers: tiers = [], extras } = entry;
  if (pricing === undefined) return {};
  const differs = (here: unknown, there: unknown): boolean => JSON.stringify(here) !== JSON.stringify(there);
  // Vendors' lists state no tiers, so that those of the model hold for them.
  const hasOwnTiers = priceSource !== 'vendor' && differs(tiers, existing.pricing_tiers ?? []);
  return {
    ...(differs(pricing, existing.pricing) ? { pricing } : {}),
    ...(hasOwnTiers ? { pricing_tiers: tiers } : {}),
    // Extras that an operator has stated besides stay.
    ...(extras !== undefined && differs(extras, existing.extras) ? { extras: { ...existing.extras, ...extras } } : {}),
  };
}
