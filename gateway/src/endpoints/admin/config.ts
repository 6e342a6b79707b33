// GET and PUT /admin/v1/config, and the auto router's tiers in that document. API keys are masked when it is read, and
// the mask sent back keeps the stored key, so a document can be read, edited and returned.

import { type JsonObject, objectOrEmpty } from '../../canonical/json.ts';
import {
  AUTO_TABLES,
  AUTO_TIERS,
  type AutoTable,
  type AutoTier,
  type AutoTierView,
  type ConfigDocument,
} from '../../contract/config.ts';
import { ApiError } from '../../errors/api-error.ts';
import { readJsonBody } from '../../http/body.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Catalog } from '../../modules/catalog/catalog.ts';
import { mergeDocuments } from '../../modules/catalog/merge-document.ts';
import type { PriceBooks } from '../../modules/vendors/price-books.ts';
import type { Clock } from '../../platform/clock.ts';
import type { OperatorHandler } from '../protect.ts';
import {
  appliedConfig,
  authorOf,
  readChangeOptions,
  readFlag,
  refusingProblems,
  slipCheckUnless,
} from './config-change.ts';

type ConfigServices = Readonly<{
  catalog: Pick<Catalog, 'liveDocument' | 'editDocument'>;
  priceBooks: Pick<PriceBooks, 'current'>;
  clock: Clock;
}>;

export const readConfigEndpoint =
  (services: ConfigServices): Handler =>
  (exchange) => {
    sendJson(exchange, 200, services.catalog.liveDocument());
  };

export const replaceConfigEndpoint =
  (services: ConfigServices): OperatorHandler =>
  async (exchange, operator) => {
    const query = new URLSearchParams(exchange.queryText);
    const options = readChangeOptions(query, operator);
    const isMerged = readFlag(query, 'merge');
    const document = await readJsonBody(exchange);
    const check = await slipCheckUnless(readFlag(query, 'confirm_prices'), services);
    const change = await refusingProblems(() =>
      services.catalog.editDocument((live) => (isMerged ? mergeDocuments(live, document) : document), {
        ...options,
        ...check,
      }),
    );
    sendJson(exchange, 200, appliedConfig(change));
  };

export const readAutoTierEndpoint =
  (services: ConfigServices): Handler =>
  (exchange) => {
    const { table, tier } = autoTierOf(exchange);
    sendJson(exchange, 200, autoTierView(services.catalog.liveDocument(), table, tier));
  };

export const changeAutoTierEndpoint =
  (services: ConfigServices): OperatorHandler =>
  async (exchange, operator) => {
    const { table, tier } = autoTierOf(exchange);
    const patch = await readJsonBody(exchange);
    const edit = (live: ConfigDocument): ConfigDocument => withAutoTier(live, { table, tier, patch });
    await refusingProblems(() => services.catalog.editDocument(edit, authorOf(operator, null)));
    sendJson(exchange, 200, autoTierView(services.catalog.liveDocument(), table, tier));
  };

type AutoTierPlace = Readonly<{ table: AutoTable; tier: AutoTier }>;

function autoTierOf(exchange: Exchange): AutoTierPlace {
  const table = AUTO_TABLES.find((known) => known === exchange.params.table);
  const tier = AUTO_TIERS.find((known) => known === exchange.params.tier);
  if (table !== undefined && tier !== undefined) return { table, tier };
  throw new ApiError('http_404', `Tables are ${AUTO_TABLES.join(', ')}; tiers are ${AUTO_TIERS.join(', ')}.`);
}

function autoTierView(document: ConfigDocument, table: AutoTable, tier: AutoTier): AutoTierView {
  const entry = document.auto?.[table]?.[tier];
  return { table, tier, enabled: entry === undefined ? false : (entry.enabled ?? true), models: entry?.models ?? [] };
}

/** Unknown keys of the patch are kept on purpose, so that validation names them. */
function withAutoTier(live: ConfigDocument, change: AutoTierPlace & Readonly<{ patch: JsonObject }>): JsonObject {
  const { table, tier, patch } = change;
  const tiers = live.auto?.[table];
  const entry: unknown = tiers?.[tier];
  const changed = { ...objectOrEmpty(entry), ...patch };
  return { ...live, auto: { ...live.auto, [table]: { ...tiers, [tier]: changed } } };
}
