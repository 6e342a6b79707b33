// How much models usually write, learned from the calls that were paid for: what a call that was left has cost us is
// guessed from it, because the upstream tells only those who wait.

import type { Usage } from '../../canonical/usage.ts';

export type UsualOutput = Readonly<{
  /** A call of the model was finished, with this usage. */
  observe(modelId: string, usage: Usage, isStream: boolean): void;
  /** Output of a whole answer, or reasoning of a stream, which may not show; null where nothing is known. */
  tokensOf(modelId: string, isStream: boolean): number | null;
}>;

/** How much the newest call counts. */
const WEIGHT = 0.2;
const MODELS_MAX = 10_000;

export function createUsualOutput(): UsualOutput {
  const books = { stream: new Map<string, number>(), whole: new Map<string, number>() };
  const bookOf = (isStream: boolean): Map<string, number> => (isStream ? books.stream : books.whole);
  return {
    observe(modelId, usage, isStream) {
      const book = bookOf(isStream);
      const tokens = isStream ? usage.reasoningTokens : usage.completionTokens;
      const known = book.get(modelId);
      // Most models never reason: they take no room.
      if (known === undefined && tokens === 0) return;
      if (book.size >= MODELS_MAX && known === undefined) book.clear();
      book.set(modelId, known === undefined ? tokens : known + (tokens - known) * WEIGHT);
    },
    tokensOf(modelId, isStream) {
      const tokens = bookOf(isStream).get(modelId);
      return tokens === undefined ? null : Math.ceil(tokens);
    },
  };
}
