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
  const { pricing } = offer.entry;
  const isOwnPrice = pricing !== undefined && JSON.stringify(pricing) !== JSON.stringify(existing.pricing);
  const real = routes.filter(({ provider }) => !simulated.has(provider));
  return { ...existing, routes: [...real, isOwnPrice ? { ...route, pricing } : route] };
}
