// POST /v1/audio/transcriptions: the text of a recording, sent as a form or inside JSON.

import { transcriptionDialect } from '../../dialects/transcription/transcription-dialect.ts';
import type { Handler } from '../../http/exchange.ts';
import { runInference } from '../../pipeline/inference.ts';
import type { InferenceServices } from '../../pipeline/services.ts';

export const createTranscription =
  (services: InferenceServices): Handler =>
  (exchange) =>
    runInference(exchange, transcriptionDialect, services);
