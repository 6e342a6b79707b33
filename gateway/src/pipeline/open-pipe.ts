// What a dialect needs to know to write an answer, and what stands between this upstream and this client.

import type { Model } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import type { RenderContext, StreamPipe } from '../dialects/stream-pipe.ts';
import { assert } from '../platform/assert.ts';
import type { Codec } from '../upstreams/protocol.ts';
import type { Call } from './call.ts';
import type { AttemptPlan } from './prepare-attempt.ts';

export function renderContext(call: Call, model: Model): RenderContext<CanonicalRequest> {
  return {
    id: call.generationId,
    modelId: model.id,
    makesImages: model.outputModalities.includes('image'),
    elapsedMs: call.elapsedMs,
    createdSeconds: Math.floor(call.startedAtMs / 1000),
    request: call.request,
  };
}

export function openPipe(plan: AttemptPlan, codec: Codec): StreamPipe {
  const { dialect } = plan.call;
  assert(dialect.openPipe !== undefined, `${dialect.operation} has no streams`);
  return dialect.openPipe(codec, renderContext(plan.call, plan.candidate.model));
}
