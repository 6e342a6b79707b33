// POST /v1/messages. Its clients name their beta features in the query and in a header; none of them is a reason to
// refuse a call.

import { messagesDialect } from '../../dialects/messages/messages-dialect.ts';
import type { Handler } from '../../http/exchange.ts';
import { runInference } from '../../pipeline/inference.ts';
import type { InferenceServices } from '../../pipeline/services.ts';

export const createMessage =
  (services: InferenceServices): Handler =>
  (exchange) =>
    runInference(exchange, messagesDialect, services);
