// POST /v1/images/edits: pictures from pictures, sent as files of a form. Where no model is named, the first of the
// catalog is taken that makes pictures from pictures.

import { editsDialect } from '../../dialects/images/images-dialect.ts';
import type { Handler } from '../../http/exchange.ts';
import { runInference } from '../../pipeline/inference.ts';
import type { ImageServices } from './image-services.ts';

export function createEdits(services: ImageServices): Handler {
  const dialect = editsDialect(services.media, () => defaultModel(services));
  return (exchange) => runInference(exchange, dialect, services);
}

function defaultModel({ catalog, clock }: ImageServices): string | null {
  const nowMs = clock.nowMs();
  const fit = catalog.current().models.find(({ inputModalities, outputModalities, prices, retiresAtMs }) => {
    const isServed = prices !== null && (retiresAtMs === null || nowMs < retiresAtMs);
    return isServed && inputModalities.includes('image') && outputModalities.includes('image');
  });
  return fit?.id ?? null;
}
