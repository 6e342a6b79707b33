// POST /v1/chat/completions, and the path an editor integration still uses for the same thing.

import { parseChatRequest } from '../../dialects/chat/parse-request.ts';
import type { Handler } from '../../http/exchange.ts';
import { runInference } from '../../pipeline/inference.ts';
import type { InferenceServices } from '../../pipeline/services.ts';

export const chatCompletions =
  (services: InferenceServices): Handler =>
  (exchange) =>
    runInference(exchange, parseChatRequest, services);
