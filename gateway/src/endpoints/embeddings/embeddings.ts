// POST /v1/embeddings: vectors of texts and images, always whole.

import { embeddingsDialect } from '../../dialects/embeddings/embeddings-dialect.ts';
import type { Handler } from '../../http/exchange.ts';
import { runInference } from '../../pipeline/inference.ts';
import type { InferenceServices } from '../../pipeline/services.ts';

export const createEmbeddings =
  (services: InferenceServices): Handler =>
  (exchange) =>
    runInference(exchange, embeddingsDialect, services);
