// POST /v1/messages/count_tokens: how long a prompt is, free of charge. The body is checked as if it were to be sent,
// and so is the model; the count is an estimate, since no upstream is asked.

import { countPromptTokens } from '../../dialects/messages/count-prompt.ts';
import { parseCountedRequest } from '../../dialects/messages/parse-request.ts';
import { readJsonBody } from '../../http/body.ts';
import { sendJson } from '../../http/respond.ts';
import { estimateTokens } from '../../modules/tokens/estimate-tokens.ts';
import { resolve } from '../../pipeline/resolve.ts';
import type { InferenceServices } from '../../pipeline/services.ts';
import type { CallerHandler } from '../protect.ts';

export const countTokens =
  (services: Pick<InferenceServices, 'catalog' | 'clock' | 'autoClassifier'>): CallerHandler =>
  async (exchange) => {
    const request = parseCountedRequest(await readJsonBody(exchange));
    resolve(request, services, services.clock.nowMs());
    sendJson(exchange, 200, { input_tokens: countPromptTokens(request.body, estimateTokens) });
  };
