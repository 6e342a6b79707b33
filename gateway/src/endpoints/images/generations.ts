// POST /v1/images/generations: pictures from words, answered as addresses or, with `stream`, as events.

import { generationsDialect } from '../../dialects/images/images-dialect.ts';
import type { Handler } from '../../http/exchange.ts';
import { runInference } from '../../pipeline/inference.ts';
import type { ImageServices } from './image-services.ts';

export function createGenerations(services: ImageServices): Handler {
  const dialect = generationsDialect(services.media);
  return (exchange) => runInference(exchange, dialect, services);
}
