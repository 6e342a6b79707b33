// Prices for the operator: what vendors charge for a model and what it costs here, and updating the second to the
// first.

import { Type } from '@sinclair/typebox';
import type { ConfigDocument } from '../../contract/config.ts';
import type { PriceFindingsAnswer, PricesAnswer, PriceUpdateAnswer } from '../../contract/providers.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Catalog } from '../../modules/catalog/catalog.ts';
import type { RevisionFacts } from '../../modules/catalog/store.ts';
import { vendorPresets } from '../../modules/vendors/presets.ts';
import type { BookPrice, PriceBook } from '../../modules/vendors/price-book.ts';
import { findPriceTrouble } from '../../pipeline/providers/guard-prices.ts';
import { updatePrices } from '../../pipeline/providers/update-prices.ts';
import type { OperatorHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { appliedConfig, authorOf, readFlag, readRevisionNumber, refusingProblems } from './config-change.ts';
import { connectServices, type ProviderServices } from './providers.ts';

type PriceServices = ProviderServices & Readonly<{ catalog: Pick<Catalog, 'listRevisions'> }>;

const MODEL_LENGTH_MAX = 200;
const REVISIONS_SEARCHED = 200;

export const UpdatePricesBody = Type.Object(
  {
    author: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'text of at most 100 characters' })),
  },
  { title: 'UpdatePrices' },
);
const readUpdateBody = bodyReader(UpdatePricesBody);

export const readPrices =
  (services: PriceServices): Handler =>
  async (exchange) => {
    const model = new URLSearchParams(exchange.queryText).get('model')?.trim() ?? '';
    if (model === '' || model.length > MODEL_LENGTH_MAX) {
      throw new ApiError('http_400', 'model: must be the name of a model.');
    }
    const [book, { fetchedAt, source }] = await Promise.all([
      services.priceBooks.current(),
      services.priceBooks.state(),
    ]);
    const revisions = await services.catalog.listRevisions({ before: null, limit: REVISIONS_SEARCHED });
    sendJson(exchange, 200, {
      source,
      fetchedAt: fetchedAt?.toISOString() ?? null,
      prices: pricesNamed(book, model, services.clock.nowMs()),
      live: livePrices(services.catalog.liveDocument(), model, revisions),
    } satisfies PricesAnswer);
  };

export const readPriceFindings =
  (services: PriceServices): Handler =>
  async (exchange) => {
    const book = await services.priceBooks.current();
    const findings = findPriceTrouble(services.catalog.liveDocument(), book, services.clock.nowMs());
    sendJson(exchange, 200, { findings } satisfies PriceFindingsAnswer);
  };

/** `vendor/model` asks one vendor, a name without a vendor all of them. */
function pricesNamed(book: PriceBook, wanted: string, nowMs: number): PricesAnswer['prices'] {
  const [owner = '', ...rest] = wanted.split('/');
  const found = [...vendorPresets()].flatMap(([name, preset]) => {
    const isOwner = rest.length > 0 && (name === owner || preset.vendor === owner);
    const price =
      book.find(preset.prices, wanted, nowMs) ?? (isOwner ? book.find(preset.prices, rest.join('/'), nowMs) : null);
    return price === null ? [] : [{ name, price, isOwner }];
  });
  const owners = found.filter(({ isOwner }) => isOwner);
  return (owners.length > 0 ? owners : found).map(({ name, price }) => priceView(name, price));
}

const priceView = (vendor: string, price: BookPrice): PricesAnswer['prices'][number] => ({
  vendor,
  model: price.model,
  title: price.title,
  contextLength: price.contextLength,
  isDeprecated: price.isDeprecated,
  pricing: price.pricing,
  pricingTiers: price.tiers,
  unbilled: price.unbilled,
});

function livePrices(
  document: ConfigDocument,
  wanted: string,
  revisions: readonly RevisionFacts[],
): PricesAnswer['live'] {
  return Object.entries(document.models ?? {}).flatMap(([id, entry]) => {
    const isWanted = id === wanted || id.slice(id.indexOf('/') + 1) === wanted;
    if (!isWanted) return [];
    return [
      {
        model: id,
        pricing: entry.pricing ?? null,
        pricingTiers: entry.pricing_tiers ?? [],
        priceSource: entry.price_source ?? null,
        changedBy: lastChange(id, revisions),
      },
    ];
  });
}

function lastChange(id: string, revisions: readonly RevisionFacts[]): string | null {
  const isOfPrice = (line: string): boolean => line === `+ model ${id}` || line.startsWith(`~ model ${id}: pricing`);
  const found = revisions.find(({ changes }) => changes.some(isOfPrice));
  if (found === undefined) return null;
  return `${found.author ?? found.source}, ${found.createdAt.toISOString()}, revision ${found.revision}`;
}

export const updatePricesEndpoint =
  (services: PriceServices): OperatorHandler =>
  async (exchange, operator) => {
    const query = new URLSearchParams(exchange.queryText);
    const { author } = await readUpdateBody(exchange);
    const expected = query.get('revision');
    const problem = await services.priceBooks.fetchNewer();
    const update = await refusingProblems(() =>
      updatePrices(connectServices(services), {
        note: 'prices of the price book',
        ...authorOf(operator, author),
        isTrial: readFlag(query, 'dry_run'),
        expectedRevision: expected === null ? null : readRevisionNumber(expected, 'revision'),
      }),
    );
    const { fetchedAt, source } = await services.priceBooks.state();
    sendJson(exchange, 200, {
      ...appliedConfig(update.change),
      source,
      fetchedAt: fetchedAt?.toISOString() ?? null,
      problem,
      jumps: update.jumps,
      typed: update.typed,
    } satisfies PriceUpdateAnswer);
  };
