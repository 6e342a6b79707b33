// POST /v1/chat/completions, and the path an editor integration still uses for the same thing.

import { illustratedChatDialect } from '../../dialects/chat/chat-dialect.ts';
import type { Handler } from '../../http/exchange.ts';
import { runInference } from '../../pipeline/inference.ts';
import type { ImageServices } from '../images/image-services.ts';

export function chatCompletions(services: ImageServices): Handler {
  const dialect = illustratedChatDialect(services.media);
  return (exchange) => runInference(exchange, dialect, services);
}
