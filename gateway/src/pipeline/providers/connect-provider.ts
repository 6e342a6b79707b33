// Connects a vendor: from a preset and a key to a provider with models at the right prices. Everything that can be
// wrong is found before anything is changed, and is told as a message.

import type { Candidate, Provider } from '../../canonical/model.ts';
import { NO_PRICES } from '../../canonical/price.ts';
import { API_KEY_MASK, type ConfigDocument } from '../../contract/config.ts';
import type { ProviderEntry } from '../../contract/config-providers.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Catalog } from '../../modules/catalog/catalog.ts';
import type { Change, ChangeOptions } from '../../modules/catalog/change-document.ts';
import { simulatedProviders, withProvider } from '../../modules/vendors/connect-document.ts';
import { makeOffers, type Offer } from '../../modules/vendors/offers.ts';
import { addressSettings, presetAddress, type VendorPreset, vendorPresets } from '../../modules/vendors/presets.ts';
import type { PriceBook } from '../../modules/vendors/price-book.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Refusal } from '../../upstreams/explain-refusal.ts';
import { askSomething, listModels, type ProbeServices } from './probe-provider.ts';

export type ConnectServices = ProbeServices &
  Readonly<{
    catalog: Pick<Catalog, 'current' | 'liveDocument' | 'preview' | 'editDocument'>;
    priceBook(): Promise<PriceBook>;
    clock: Clock;
  }>;

type ConnectRequest = Readonly<{
  preset: string;
  /** The preset's name where it is left out. */
  name?: string | undefined;
  baseUrl?: string | undefined;
  apiKey?: string | undefined;
  settings?: Readonly<Record<string, string>> | undefined;
  /** Ids of models, or the vendor's names for them. */
  models?: readonly string[] | undefined;
  /** Take every model that has a price. */
  all?: boolean | undefined;
  /** False: ask the vendor for its list only. */
  test?: boolean | undefined;
}>;

export type Discovery = Readonly<{
  presetName: string;
  name: string;
  entry: ProviderEntry;
  offers: readonly Offer[];
  /** Why the vendor could not be asked; null when it could. */
  refusal: Refusal | null;
}>;

export type Connected = Readonly<{
  change: Change;
  discovery: Discovery;
  chosen: readonly Offer[];
  /** Models that the vendor offers and that are useful, but have no price and were not chosen by name. */
  unpriced: readonly Offer[];
  /** Models that are still answered by the simulator. */
  simulatedModels: number;
}>;

/** A vendor with more models than this is not taken whole unless the operator says so. */
const ALL_BY_DEFAULT_MAX = 100;

/** What the vendor offers to this key. Nothing is changed. */
export async function discoverModels(request: ConnectRequest, services: ConnectServices): Promise<Discovery> {
  const preset = presetNamed(request.preset);
  const name = request.name ?? request.preset;
  const entry = entryOf(request, preset, name, services.catalog.liveDocument());
  const provider = providerOf(services.catalog, name, entry);
  const listing = await listModels(provider, preset.models, services);
  const named = request.models ?? [];
  const isListed = listing.kind === 'listed';
  const offers = makeOffers({
    name: request.preset,
    preset,
    listed: isListed ? listing.lines : null,
    named: isListed ? [] : named,
    book: await services.priceBook(),
    nowMs: services.clock.nowMs(),
  });
  // A server may have no list at all; models that were named are then checked by calling one of them.
  const isListMissing = listing.kind === 'refused' && listing.refusal.reason === 'request' && named.length > 0;
  const refusal = listing.kind === 'refused' && !isListMissing ? listing.refusal : null;
  return { presetName: request.preset, name, entry, offers, refusal };
}

export async function connectProvider(
  request: ConnectRequest,
  services: ConnectServices,
  options: ChangeOptions,
): Promise<Connected> {
  const discovery = await discoverModels(request, services);
  if (discovery.refusal !== null) throw refused(discovery, discovery.refusal);
  const useful = discovery.offers.filter(({ skip }) => skip === null);
  const chosen = chooseOffers(request, discovery, useful);
  if (request.test !== false) await tryOut(discovery, chosen.length > 0 ? chosen : useful, services);
  const connection = { name: discovery.name, entry: discovery.entry, offers: chosen };
  const made = await services.catalog.editDocument((live) => withProvider(live, connection), options);
  // A chosen model gets the vendor's facts in place of the simulator's. That is not a removal, so the operator is not
  // asked about it.
  const isChosen = (line: string): boolean => chosen.some(({ id }) => line.startsWith(`~ model ${id}: `));
  const change = { ...made, removals: made.removals.filter((line) => !isChosen(line)) };
  const unpriced = useful.filter((offer) => offer.priceSource === null && !chosen.includes(offer));
  return { change, discovery, chosen, unpriced, simulatedModels: countSimulated(change.document) };
}

function presetNamed(name: string): VendorPreset {
  const preset = vendorPresets().get(name);
  if (preset !== undefined) return preset;
  const known = [...vendorPresets().keys()].join(', ');
  throw new ApiError('http_400', `There is no preset ${JSON.stringify(name.slice(0, 60))}. There are ${known}.`);
}

function entryOf(request: ConnectRequest, preset: VendorPreset, name: string, live: ConfigDocument): ProviderEntry {
  const settings = request.settings ?? {};
  const inAddress = addressSettings(preset);
  const missing = Object.keys(preset.settings ?? {}).filter(
    (setting) => settings[setting] === undefined && !(inAddress.has(setting) && request.baseUrl !== undefined),
  );
  if (missing.length > 0) {
    const words = missing.map((setting) => `${setting} (${preset.settings?.[setting] ?? ''})`).join(', ');
    throw new ApiError('http_400', `${preset.title} also needs ${words}`);
  }
  const baseUrl = request.baseUrl ?? presetAddress(preset, settings);
  const own = Object.entries(settings).filter(([setting]) => !inAddress.has(setting));
  const existing = live.providers?.[name];
  const isSame = existing !== undefined && existing.base_url === (baseUrl ?? undefined);
  const apiKey = request.apiKey ?? (isSame && existing.api_key !== undefined ? API_KEY_MASK : undefined);
  const hasKey = apiKey !== undefined || (isSame && existing.api_keys !== undefined);
  if (!hasKey && preset.key !== undefined && preset.key.optional !== true) {
    throw new ApiError(
      'http_400',
      `${preset.title} needs an API key, which its own tools read from ${preset.key.variable}.`,
    );
  }
  return {
    protocol: preset.protocol,
    ...(baseUrl === null ? {} : { base_url: baseUrl }),
    ...(apiKey === undefined ? {} : { api_key: apiKey }),
    data_collection: preset.data_collection,
    ...(preset.pictures === undefined ? {} : { pictures: preset.pictures }),
    ...(preset.output_limit === undefined ? {} : { output_limit: preset.output_limit }),
    // A server at another address may not have all of the vendor's endpoints.
    ...(preset.responses === true && request.baseUrl === undefined ? { responses: true } : {}),
    preset: request.preset,
    ...Object.fromEntries(own),
  };
}

/** The provider as it would be called; it is not stored yet. */
function providerOf(catalog: ConnectServices['catalog'], name: string, entry: ProviderEntry): Provider {
  const snapshot = catalog.preview((live) => withProvider(live, { name, entry, offers: [] }));
  const provider = snapshot.providers.get(name);
  if (provider === undefined) throw new ApiError('http_400', 'The provider cannot be made from these settings.');
  return provider;
}

const refused = ({ name }: Discovery, { reason, message }: Refusal): ApiError =>
  new ApiError('http_400', `Nothing was changed: ${name} did not pass its test (${reason}). ${message}`);

function chooseOffers(request: ConnectRequest, discovery: Discovery, useful: readonly Offer[]): readonly Offer[] {
  if (request.models !== undefined) return request.models.map((wanted) => offerNamed(wanted, discovery));
  const priced = useful.filter(({ priceSource }) => priceSource !== null);
  return request.all === true || priced.length <= ALL_BY_DEFAULT_MAX ? priced : [];
}

function offerNamed(wanted: string, { offers }: Discovery): Offer {
  const offer = offers.find(({ id, upstreamModel }) => id === wanted || upstreamModel === wanted);
  if (offer !== undefined) return offer;
  const shown = JSON.stringify(wanted.slice(0, 100));
  throw new ApiError('http_400', `Nothing was changed: the vendor offers no model ${shown}.`);
}

/** Asks the cheapest text model a short question. A provider without text models is believed by its list. */
async function tryOut(discovery: Discovery, offers: readonly Offer[], services: ConnectServices): Promise<void> {
  const texts = offers.filter(({ entry }) => entry.output_modalities?.includes('text') === true);
  const [cheapest] = texts.toSorted((left, right) => costOf(left) - costOf(right));
  if (cheapest === undefined) return;
  const { name, entry } = discovery;
  const snapshot = services.catalog.preview((live) => withProvider(live, { name, entry, offers: [cheapest] }));
  const model = snapshot.models.find(({ id }) => id === cheapest.id);
  const route = model?.routes.find(({ provider }) => provider.name === name);
  if (model === undefined || route === undefined) return;
  const candidate: Candidate = {
    ...{ model, provider: route.provider, upstreamModel: route.upstreamModel },
    ...{ prices: route.prices ?? model.prices ?? NO_PRICES, operation: 'chat' },
  };
  const refusal = await askSomething(candidate, services);
  if (refusal !== null) throw refused(discovery, { ...refusal, message: `${cheapest.id}: ${refusal.message}` });
}

const costOf = ({ entry: { pricing } }: Offer): number =>
  pricing?.completion === undefined ? Number.POSITIVE_INFINITY : Number(pricing.completion);

function countSimulated(document: ConfigDocument): number {
  const simulated = simulatedProviders(document);
  return Object.values(document.models ?? {}).filter(({ routes = [] }) =>
    routes.some(({ provider }) => simulated.has(provider)),
  ).length;
}
