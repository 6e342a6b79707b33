// POST /v1/completions: a prompt is continued, for tools that know no chat; whole or streamed.

import { completionsDialect } from '../../dialects/completions/completions-dialect.ts';
import type { Handler } from '../../http/exchange.ts';
import { runInference } from '../../pipeline/inference.ts';
import type { InferenceServices } from '../../pipeline/services.ts';

export const createCompletion =
  (services: InferenceServices): Handler =>
  (exchange) =>
    runInference(exchange, completionsDialect, services);
