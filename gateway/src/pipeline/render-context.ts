// What a dialect needs to know to write an answer.

import type { Model } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import type { RenderContext } from '../dialects/stream-pipe.ts';
import type { Call } from './call.ts';

export function renderContext(call: Call, model: Model): RenderContext<CanonicalRequest> {
  return {
    id: call.generationId,
    modelId: model.id,
    makesImages: model.outputModalities.includes('image'),
    elapsedMs: call.elapsedMs,
    createdSeconds: Math.floor(call.startedAtMs / 1000),
    request: call.request,
    review: call.review,
  };
}
