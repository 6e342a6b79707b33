// POST /v1/rerank: documents in the order of how well they answer a query, always whole.

import { rerankDialect } from '../../dialects/rerank/rerank-dialect.ts';
import type { Handler } from '../../http/exchange.ts';
import { runInference } from '../../pipeline/inference.ts';
import type { InferenceServices } from '../../pipeline/services.ts';

export const createRanking =
  (services: InferenceServices): Handler =>
  (exchange) =>
    runInference(exchange, rerankDialect, services);
