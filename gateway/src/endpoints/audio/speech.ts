// POST /v1/audio/speech: the sound of a text, streamed as the upstream makes it.

import { speechDialect } from '../../dialects/speech/speech-dialect.ts';
import type { Handler } from '../../http/exchange.ts';
import { runInference } from '../../pipeline/inference.ts';
import type { InferenceServices } from '../../pipeline/services.ts';

export const createSpeech =
  (services: InferenceServices): Handler =>
  (exchange) =>
    runInference(exchange, speechDialect, services);
