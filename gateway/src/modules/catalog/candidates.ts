// Which providers may serve a model: the routes of the first level that has any. The levels are the model's own
// routes, `<vendor>/*`, `*`, and the default provider; a lower level never stands in for an upper one that failed,
// because it was written for models that nobody routed.

import type { Model, Provider, Route } from '../../canonical/model.ts';
import { bareNameOf, vendorOf } from './model-names.ts';
import type { CatalogSnapshot } from './snapshot.ts';

const routesByModel = new WeakMap<Model, readonly Route[]>();

export function candidates(snapshot: CatalogSnapshot, model: Model): readonly Route[] {
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
  // A provider that carries the vendor's name knows its models by their short names, any other needs the full id.
  return [routeTo(provider, provider.name === vendor ? bareNameOf(model.id) : model.id)];
}

function routeTo(provider: Provider, upstreamModel: string): Route {
  return { provider, upstreamModel, quantization: null, prices: null };
}
