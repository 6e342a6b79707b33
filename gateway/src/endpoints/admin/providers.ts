// Providers for the operator: the vendors that can be connected, connecting one, testing it, and listing those
// connected.

import type { Provider } from '../../canonical/model.ts';
import type { ConfigDocument } from '../../contract/config.ts';
import { MAIN_KEY } from '../../contract/config-providers.ts';
import {
  ConnectBody,
  type ConnectedAnswer,
  DiscoverBody,
  type DiscoveryAnswer,
  type OfferView,
  type ProviderKeyView,
  type ProviderList,
  type ProviderTestAnswer,
  type VendorList,
  type VendorView,
} from '../../contract/providers.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import { maskKey } from '../../modules/byok/sealed-key.ts';
import type { CatalogSnapshot } from '../../modules/catalog/snapshot.ts';
import type { Routing } from '../../modules/routing/routing.ts';
import { simulatedProviders } from '../../modules/vendors/connect-document.ts';
import type { Offer } from '../../modules/vendors/offers.ts';
import { presetOf, type VendorPreset, vendorPresets } from '../../modules/vendors/presets.ts';
import type { PriceBooks } from '../../modules/vendors/price-books.ts';
import { type ConnectServices, connectProvider, discoverModels } from '../../pipeline/providers/connect-provider.ts';
import { testProvider } from '../../pipeline/providers/test-provider.ts';
import type { OperatorHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { appliedConfig, authorOf, readFlag, readRevisionNumber, refusingProblems } from './config-change.ts';

export type ProviderServices = Omit<ConnectServices, 'priceBook'> &
  Readonly<{ priceBooks: PriceBooks; routing: Pick<Routing, 'keyStates'> }>;

const readDiscoverBody = bodyReader(DiscoverBody);
const readConnectBody = bodyReader(ConnectBody);

export const connectServices = ({ catalog, transport, clock, priceBooks }: ProviderServices): ConnectServices => ({
  ...{ catalog, transport, clock },
  priceBook: () => priceBooks.current(),
});

export const listVendors: Handler = (exchange) => {
  const data = [...vendorPresets()].map(([name, preset]) => vendorView(name, preset));
  sendJson(exchange, 200, { data } satisfies VendorList);
};

const vendorView = (name: string, preset: VendorPreset): VendorView => ({
  name,
  title: preset.title,
  protocol: preset.protocol,
  baseUrl: preset.base_url ?? null,
  keyVariable: preset.key?.variable ?? null,
  isKeyNeeded: preset.key !== undefined && preset.key.optional !== true,
  settings: { ...preset.settings },
  hasModelList: preset.models.list !== 'book' && preset.models.list !== 'none',
  dataCollection: preset.data_collection,
  quirks: preset.quirks ?? [],
  documentation: preset.documentation,
  source: preset.source,
  written: preset.written,
});

export const listProviders =
  ({ catalog, routing }: ProviderServices): Handler =>
  (exchange) => {
    const document = catalog.liveDocument();
    const simulated = simulatedProviders(document);
    const snapshot = catalog.current();
    const data = [...snapshot.providers.values()].map((provider) => {
      const preset = presetOf({ preset: document.providers?.[provider.name]?.preset, baseUrl: provider.baseUrl });
      const models = modelsOf(snapshot, provider.name);
      return {
        name: provider.name,
        preset,
        title: preset === null ? null : (vendorPresets().get(preset)?.title ?? null),
        protocol: provider.protocol,
        baseUrl: provider.baseUrl,
        hasKey: provider.apiKey !== '',
        keys: keyViews(provider, routing, snapshot),
        isSimulated: simulated.has(provider.name),
        models: models.length,
        unpricedModels: models.filter(({ isPriced }) => !isPriced).map(({ id }) => id),
      };
    });
    sendJson(exchange, 200, { data } satisfies ProviderList);
  };

/** The state of keys on the routes of the existing models. */
function keyViews(
  provider: Provider,
  routing: ProviderServices['routing'],
  snapshot: CatalogSnapshot,
): ProviderKeyView[] {
  const keys = provider.keys ?? (provider.apiKey === '' ? [] : [{ name: MAIN_KEY, weight: 1, provider }]);
  const routes = snapshot.models.flatMap(({ routes: all }) => all.filter((route) => route.provider === provider));
  const upstreamModels = [...new Set(routes.map(({ upstreamModel }) => upstreamModel))];
  const states = routing.keyStates(provider, upstreamModels);
  return keys.map(({ name, weight, provider: { apiKey } }) => {
    const own = states.filter((state) => state.name === name && state.reason !== null);
    const refused = own.find(({ reason, isOfModel }) => reason === 'auth_failed' && isOfModel !== true);
    const limited = own.filter(({ reason, isOfModel }) => reason === 'rate_limited' || isOfModel === true);
    const waitMs = refused?.waitMs ?? Math.max(0, ...limited.map((state) => state.waitMs));
    return {
      ...{ name, weight, hint: maskKey(apiKey) },
      state: refused !== undefined ? 'refused' : limited.length > 0 ? 'limited' : 'usable',
      backInSeconds: waitMs === 0 ? null : Math.ceil(waitMs / 1_000),
      limitedModels: limited.map(({ upstreamModel }) => upstreamModel),
    };
  });
}

const modelsOf = (snapshot: CatalogSnapshot, provider: string) =>
  snapshot.models.flatMap((model) => {
    const route = model.routes.find((it) => it.provider.name === provider);
    return route === undefined || model.id.endsWith(':free')
      ? []
      : [{ id: model.id, isPriced: (route.prices ?? model.prices) !== null }];
  });

export const discoverEndpoint =
  (services: ProviderServices): Handler =>
  async (exchange) => {
    const body = await readDiscoverBody(exchange);
    const discovery = await refusingProblems(() => discoverModels(body, connectServices(services)));
    const live = services.catalog.liveDocument();
    const { refusal, name, offers } = discovery;
    sendJson(exchange, 200, {
      name,
      refusal: refusal === null ? null : { reason: refusal.reason, message: refusal.message },
      offers: offers.map((offer) => offerView(offer, name, live)),
    } satisfies DiscoveryAnswer);
  };

export const connectEndpoint =
  (services: ProviderServices): OperatorHandler =>
  async (exchange, operator) => {
    const query = new URLSearchParams(exchange.queryText);
    const { note = null, author, ...request } = await readConnectBody(exchange);
    const expected = query.get('revision');
    const connected = await refusingProblems(() =>
      connectProvider(request, connectServices(services), {
        note,
        ...authorOf(operator, author),
        isTrial: readFlag(query, 'dry_run'),
        expectedRevision: expected === null ? null : readRevisionNumber(expected, 'revision'),
      }),
    );
    const { change, discovery, chosen, unpriced, simulatedModels } = connected;
    sendJson(exchange, 200, {
      ...appliedConfig(change),
      provider: discovery.name,
      models: chosen.map((offer) => offerView(offer, discovery.name, change.document)),
      unpriced: unpriced.map(({ id }) => id),
      offered: discovery.offers.length,
      simulatedModels,
    } satisfies ConnectedAnswer);
  };

export const testProviderEndpoint =
  (services: ProviderServices): Handler =>
  async (exchange) => {
    const provider = services.catalog.current().providers.get(exchange.params.name ?? '');
    if (provider === undefined) throw new ApiError('http_404', 'There is no provider of this name.');
    const { isOk: ok, checks, ...report } = await testProvider(provider, connectServices(services));
    const answer: ProviderTestAnswer = {
      ...report,
      ok,
      checks: checks.map(({ isOk, ...it }) => ({ ...it, ok: isOk })),
    };
    sendJson(exchange, 200, answer);
  };

const offerView = (offer: Offer, provider: string, live: ConfigDocument): OfferView => ({
  id: offer.id,
  upstreamModel: offer.upstreamModel,
  title: offer.entry.name ?? offer.id,
  isPriced: offer.priceSource !== null,
  priceSource: offer.priceSource,
  pricing: offer.entry.pricing ?? null,
  pricingTiers: offer.entry.pricing_tiers ?? [],
  skip: offer.skip,
  notes: offer.notes,
  isLive: live.models?.[offer.id]?.routes?.some((route) => route.provider === provider) === true,
});
