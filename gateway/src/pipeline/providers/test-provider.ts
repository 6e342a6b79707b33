// Checks that a connected provider still does what the catalog says: it accepts the key, lists the models that routes
// name, answers, and has the prices that we know. It changes nothing.

import type { Candidate, Model, Provider, Route } from '../../canonical/model.ts';
import { NO_PRICES } from '../../canonical/price.ts';
import type { ModelEntry } from '../../contract/config.ts';
import { presetOf, vendorPresets } from '../../modules/vendors/presets.ts';
import type { BookPrice } from '../../modules/vendors/price-book.ts';
import type { ConnectServices } from './connect-provider.ts';
import { askSomething, type ListingRule, listModels } from './probe-provider.ts';

type ProviderCheck = Readonly<{
  name: 'models' | 'answer';
  isOk: boolean;
  reason: string | null;
  message: string;
}>;

type ProviderReport = Readonly<{
  name: string;
  preset: string | null;
  isOk: boolean;
  checks: readonly ProviderCheck[];
  /** Models of the catalog whose upstream name the provider does not list any more. */
  gone: readonly string[];
  /** Models whose price here differs from that of the price book, with both prices as text. */
  otherPrices: readonly Readonly<{ model: string; message: string }>[];
}>;

type Served = Readonly<{ model: Model; route: Route }>;

export async function testProvider(provider: Provider, services: ConnectServices): Promise<ProviderReport> {
  const document = services.catalog.liveDocument();
  const preset = presetOf({ preset: document.providers?.[provider.name]?.preset, baseUrl: provider.baseUrl });
  const rules = listingRuleOf(provider, services);
  const served = servedBy(provider.name, services);
  const checks: ProviderCheck[] = [];
  const gone = new Set<string>();
  for (const key of provider.keys ?? [{ name: null, provider }]) {
    const tested = await testKey(key.provider, rules, served, services);
    const prefix = key.name === null ? '' : `Key ${key.name}: `;
    checks.push(...tested.checks.map((check) => ({ ...check, message: prefix + check.message })));
    for (const { model } of tested.gone) gone.add(model.id);
  }
  return {
    name: provider.name,
    preset,
    isOk: checks.every(({ isOk }) => isOk) && gone.size === 0,
    checks,
    gone: [...gone],
    otherPrices: await otherPrices(preset, served, services),
  };
}

type TestedKey = Readonly<{ checks: readonly ProviderCheck[]; gone: readonly Served[] }>;

async function testKey(
  provider: Provider,
  rules: ListingRule,
  served: readonly Served[],
  services: ConnectServices,
): Promise<TestedKey> {
  const listing = await listModels(provider, rules, services);
  const listed = listing.kind === 'listed' ? new Set(listing.lines.map(({ name }) => name)) : null;
  const gone = served.filter(({ route }) => listed !== null && !listed.has(route.upstreamModel));
  const answer = await answerCheck(
    provider,
    served.filter((item) => !gone.includes(item)),
    services,
  );
  const models: ProviderCheck =
    listing.kind === 'refused'
      ? { name: 'models', isOk: false, reason: listing.refusal.reason, message: listing.refusal.message }
      : { name: 'models', isOk: true, reason: null, message: listedWords(listed?.size ?? null) };
  return { checks: answer === null ? [models] : [models, answer], gone };
}

/** What is wrong with the provider as it would be called with one key; null when nothing is. */
export async function refusalOfKey(provider: Provider, services: ConnectServices): Promise<ProviderCheck | null> {
  const { checks } = await testKey(
    provider,
    listingRuleOf(provider, services),
    servedBy(provider.name, services),
    services,
  );
  return checks.find(({ isOk }) => !isOk) ?? null;
}

function listingRuleOf({ name, baseUrl }: Provider, { catalog }: ConnectServices): ListingRule {
  const preset = presetOf({ preset: catalog.liveDocument().providers?.[name]?.preset, baseUrl });
  return (preset === null ? undefined : vendorPresets().get(preset)?.models) ?? { list: 'protocol' };
}

const listedWords = (count: number | null): string =>
  count === null ? 'It has no list of models to look at.' : `It takes the key and lists ${count} models.`;

function servedBy(name: string, { catalog }: ConnectServices): Served[] {
  return catalog.current().models.flatMap((model) => {
    const route = model.routes.find(({ provider }) => provider.name === name);
    return route === undefined || model.id.endsWith(':free') ? [] : [{ model, route }];
  });
}

/** Null where the provider serves no text model. */
async function answerCheck(
  provider: Provider,
  served: readonly Served[],
  services: ConnectServices,
): Promise<ProviderCheck | null> {
  const texts = served.filter(({ model }) => model.outputModalities.includes('text'));
  const [cheapest] = texts.toSorted((left, right) => Number(completionOf(left) - completionOf(right)));
  if (cheapest === undefined) return null;
  const { model, route } = cheapest;
  const candidate: Candidate = {
    ...{ model, provider, upstreamModel: route.upstreamModel },
    ...{ prices: route.prices ?? model.prices ?? NO_PRICES, operation: 'chat' },
  };
  const refusal = await askSomething(candidate, services);
  if (refusal === null) return { name: 'answer', isOk: true, reason: null, message: `${model.id} answered.` };
  return { name: 'answer', isOk: false, reason: refusal.reason, message: `${model.id}: ${refusal.message}` };
}

const completionOf = ({ model, route }: Served): bigint => (route.prices ?? model.prices)?.base.completion ?? 0n;

async function otherPrices(
  preset: string | null,
  served: readonly Served[],
  services: ConnectServices,
): Promise<ProviderReport['otherPrices']> {
  const vendors = preset === null ? [] : (vendorPresets().get(preset)?.prices ?? []);
  if (vendors.length === 0) return [];
  const book = await services.priceBook();
  const { models = {} } = services.catalog.liveDocument();
  return served.flatMap(({ model, route }) => {
    const entry = models[model.id];
    const known = book.find(vendors, route.upstreamModel, services.clock.nowMs());
    if (entry === undefined || known === null) return [];
    const message = priceWords(entry, known, route.provider.name);
    return message === null ? [] : [{ model: model.id, message }];
  });
}

/** Null where the prices agree. */
export function priceWords(entry: ModelEntry, known: BookPrice, provider: string): string | null {
  const own = entry.routes?.find((route) => route.provider === provider)?.pricing ?? {};
  const stated = { ...entry.pricing, ...own };
  const differing = (['prompt', 'completion'] as const).flatMap((key) => {
    const [here, there] = [stated[key], known.pricing[key]];
    return here === undefined || there === undefined || Number(here) === Number(there)
      ? []
      : [`${key} ${here} here, ${there} in the price book (USD per million tokens)`];
  });
  return differing.length === 0 ? null : differing.join('; ');
}
