// POST /v1/responses: a stateless call in the Responses dialect, whole or streamed.

import { illustratedDialect } from '../../dialects/illustrated-dialect.ts';
import { responsesDialect } from '../../dialects/responses/responses-dialect.ts';
import type { Handler } from '../../http/exchange.ts';
import { runInference } from '../../pipeline/inference.ts';
import type { ImageServices } from '../images/image-services.ts';

export function createResponse(services: ImageServices): Handler {
  const dialect = illustratedDialect(responsesDialect, services.media);
  return (exchange) => runInference(exchange, dialect, services);
}
