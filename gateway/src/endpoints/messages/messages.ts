// POST /v1/messages. Its clients name their beta features in the query and in a header; none of them is a reason to
// refuse a call.

import { illustratedDialect } from '../../dialects/illustrated-dialect.ts';
import { messagesDialect } from '../../dialects/messages/messages-dialect.ts';
import type { Handler } from '../../http/exchange.ts';
import { runInference } from '../../pipeline/inference.ts';
import type { ImageServices } from '../images/image-services.ts';

export function createMessage(services: ImageServices): Handler {
  const dialect = illustratedDialect(messagesDialect, services.media);
  return (exchange) => runInference(exchange, dialect, services);
}
