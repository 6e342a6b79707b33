// What stands between this upstream and this client: a splice when both speak one format, a translation when not.

import type { RenderContext, StreamPipe } from '../dialects/stream-pipe.ts';
import type { Codec } from '../upstreams/protocol.ts';
import type { Call } from './call.ts';
import type { AttemptPlan } from './prepare-attempt.ts';
import { TranslatingPipe } from './translating-pipe.ts';

export function renderContext(call: Call, modelId: string): RenderContext {
  return {
    id: call.generationId,
    modelId,
    createdSeconds: Math.floor(call.startedAtMs / 1000),
    request: call.request,
  };
}

export function openPipe(plan: AttemptPlan, codec: Codec): StreamPipe {
  const { dialect } = plan.call;
  const context = renderContext(plan.call, plan.candidate.model.id);
  if (codec.format === dialect.format) return dialect.openSame(context, codec.readUsage);
  return new TranslatingPipe(codec.createStreamDecoder(), dialect.createRenderer(context));
}
