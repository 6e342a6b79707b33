// POST /v1/chat/completions, and the path an editor integration still uses for the same thing.

import { chatDialect } from '../../dialects/chat/chat-dialect.ts';
import type { Handler } from '../../http/exchange.ts';
import { runInference } from '../../pipeline/inference.ts';
import type { InferenceServices } from '../../pipeline/services.ts';

export const chatCompletions =
  (services: InferenceServices): Handler =>
  (exchange) =>
    runInference(exchange, chatDialect, services);
