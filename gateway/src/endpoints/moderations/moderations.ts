// POST /v1/moderations: what a policy says of texts and pictures; the built-in one where no model is named.

import type { Judge } from '../../canonical/operation.ts';
import { createModerationDialect } from '../../dialects/moderation/moderation-dialect.ts';
import type { Handler } from '../../http/exchange.ts';
import { runInference } from '../../pipeline/inference.ts';
import type { InferenceServices } from '../../pipeline/services.ts';

type ModerationServices = InferenceServices & Readonly<{ judge: Judge }>;

export function createModeration(services: ModerationServices): Handler {
  const dialect = createModerationDialect(services.judge);
  return (exchange) => runInference(exchange, dialect, services);
}
