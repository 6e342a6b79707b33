// POST /v1/responses: a stateless call in the Responses dialect, whole or streamed.

import { responsesDialect } from '../../dialects/responses/responses-dialect.ts';
import type { Handler } from '../../http/exchange.ts';
import { runInference } from '../../pipeline/inference.ts';
import type { InferenceServices } from '../../pipeline/services.ts';

export const createResponse =
  (services: InferenceServices): Handler =>
  (exchange) =>
    runInference(exchange, responsesDialect, services);
