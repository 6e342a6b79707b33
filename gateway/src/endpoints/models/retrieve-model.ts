// GET /v1/models/{slug} and /v1/models/{vendor}/{name}: one model, by its slug or by its id. SDKs encode the slash of
// an id, and people do not.

import { isModelAllowed } from '../../canonical/allowed-models.ts';
import type { PublicModel } from '../../contract/models.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import { FREE_SUFFIX, slugOf } from '../../modules/catalog/model-names.ts';
import { retiredError } from '../../modules/catalog/resolve.ts';
import type { CatalogSnapshot } from '../../modules/catalog/snapshot.ts';
import { allowedFor } from './allowed-for.ts';
import type { ModelsServices } from './list-models.ts';
import { isListed, publicFreeModel, publicModel } from './public-model.ts';

export const retrieveModelEndpoint =
  (services: ModelsServices): Handler =>
  async (exchange) => {
    const { slug, vendor, name: bareName } = exchange.params;
    const name = slug ?? `${vendor}/${bareName}`;
    const allowedModels = await allowedFor(exchange, services);
    const found = findPublicModel(services.catalog.current(), name, services.clock.nowMs());
    // For a caller whose organization does not allow it, the model does not exist.
    if (!isModelAllowed(allowedModels, found.canonical_slug)) throw notFound();
    sendJson(exchange, 200, found);
  };

const notFound = (): ApiError => new ApiError('model_not_found', 'There is no such model.');

/** Throws `model_not_found`, or `model_retired` for a former model. */
export function findPublicModel(snapshot: CatalogSnapshot, name: string, nowMs: number): PublicModel {
  const isFree = name.endsWith(FREE_SUFFIX) && !snapshot.bySlug.has(slugOf(name));
  const baseName = isFree ? name.slice(0, -FREE_SUFFIX.length) : name;
  const found = snapshot.bySlug.get(slugOf(baseName));
  // A name with a slash is an id and means only that id, although `a/b-c` and `a-b/c` have the same slug.
  const model = baseName.includes('/') && found?.id !== baseName ? undefined : found;
  const retiresAtMs = found === undefined ? snapshot.retirements.bySlug.get(slugOf(baseName)) : model?.retiresAtMs;
  if (typeof retiresAtMs === 'number' && nowMs >= retiresAtMs) throw retiredError(name);
  if (model === undefined || !isListed(model, nowMs) || (isFree && model.free === null)) {
    throw notFound();
  }
  return isFree ? publicFreeModel(model, nowMs) : publicModel(model, nowMs);
}
