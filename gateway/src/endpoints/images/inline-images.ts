// POST /v1/images: pictures from words or pictures, in JSON both ways, for clients that expect the pictures themselves in
// the answer.

import { inlineImagesDialect } from '../../dialects/images/images-dialect.ts';
import type { Handler } from '../../http/exchange.ts';
import { runInference } from '../../pipeline/inference.ts';
import type { ImageServices } from './image-services.ts';

export function createInlineImages(services: ImageServices): Handler {
  const dialect = inlineImagesDialect(services.media);
  return (exchange) => runInference(exchange, dialect, services);
}
