// GET /v1/models/{slug}: one model, by its slug or (as SDKs ask, with an encoded slash) by its id.

import type { PublicModel } from '../../contract/models.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import { FREE_SUFFIX, slugOf } from '../../modules/catalog/model-names.ts';
import { retiredError } from '../../modules/catalog/resolve.ts';
import type { CatalogSnapshot } from '../../modules/catalog/snapshot.ts';
import type { ModelsServices } from './list-models.ts';
import { isListed, publicFreeModel, publicModel } from './public-model.ts';

export const retrieveModelEndpoint =
  (services: ModelsServices): Handler =>
  (exchange) => {
    const name = exchange.params.slug ?? '';
    sendJson(exchange, 200, findPublicModel(services.catalog.current(), name, services.clock.nowMs()));
  };

/** Throws `model_not_found`, or `model_retired` where the model was once here. */
export function findPublicModel(snapshot: CatalogSnapshot, name: string, nowMs: number): PublicModel {
  const isFree = name.endsWith(FREE_SUFFIX) && !snapshot.bySlug.has(slugOf(name));
  const baseName = isFree ? name.slice(0, -FREE_SUFFIX.length) : name;
  const found = snapshot.bySlug.get(slugOf(baseName));
  // A name with a slash is an id and means that id alone, although `a/b-c` and `a-b/c` have one slug.
  const model = baseName.includes('/') && found?.id !== baseName ? undefined : found;
  const retiresAtMs = found === undefined ? snapshot.retirements.bySlug.get(slugOf(baseName)) : model?.retiresAtMs;
  if (typeof retiresAtMs === 'number' && nowMs >= retiresAtMs) throw retiredError(name);
  if (model === undefined || !isListed(model, nowMs) || (isFree && model.free === null)) {
    throw new ApiError('model_not_found', 'There is no such model.');
  }
  return isFree ? publicFreeModel(model, nowMs) : publicModel(model, nowMs);
}
