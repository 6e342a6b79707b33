// Inputs that a model reads one by one must each fit its context. Nothing is ever cut: half a text has another meaning, and
// its vector would look as good as any.

import type { EmbeddingInput } from '../canonical/embeddings.ts';
import type { Model } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import { ApiError } from '../errors/api-error.ts';
import { overflowMessage } from '../errors/context-overflow.ts';
import { countEach } from '../modules/tokens/count.ts';
import { measureEach } from '../modules/tokens/measure.ts';
import type { Resolution } from './resolve.ts';

type Fitting = Readonly<{ request: CanonicalRequest; resolution: Resolution }>;

/** Null when all of them fit by the estimate, as they nearly always do. */
export function refuseLongInputs(request: CanonicalRequest, resolution: Resolution): Promise<Fitting> | null {
  if (!('inputs' in request)) return null;
  const { model } = resolution.primary;
  const { contextLength } = model;
  if (contextLength === null || request.promptTokensEstimate <= contextLength) return null;
  const doubtful = request.inputs.flatMap((input, index) =>
    input.tokensEstimate > contextLength ? [{ input, index }] : [],
  );
  if (doubtful.length === 0) return null;
  return refuse(doubtful, model).then(() => ({ request, resolution }));
}

type Doubtful = Readonly<{ input: EmbeddingInput; index: number }>;

async function refuse(doubtful: readonly Doubtful[], model: Model): Promise<void> {
  const measures = await measureEach(doubtful.map(({ input }) => input.texts));
  // There are no roles and separators around an input.
  const bare = measures.map((measure) => ({ ...measure, overheadTokens: 0 }));
  const counts = await countEach(bare, model.traits.tokenizer);
  for (const [place, { input, index }] of doubtful.entries()) {
    const tokens = input.isExact ? input.tokensEstimate : (counts[place]?.low ?? 0);
    if (model.contextLength === null || tokens <= model.contextLength) continue;
    const overflow = { tokens, tokensMax: model.contextLength };
    throw new ApiError('context_too_long', overflowMessage(overflow, `input[${index}]`), { overflow });
  }
}
