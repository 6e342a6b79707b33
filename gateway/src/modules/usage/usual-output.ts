// How much models usually write, learned from calls that were paid for. It is used to estimate what a call that its
// client left has cost us, because an upstream reports usage only at the end.

import type { Usage } from '../../canonical/usage.ts';

export type UsualOutput = Readonly<{
  /** A call of the model has finished with this usage. */
  observe(modelId: string, usage: Usage, isStream: boolean): void;
  /**
   * The output of an answer that is not streamed, or the reasoning of a stream, which may be hidden; null where nothing
   * is known.
   */
  tokensOf(modelId: string, isStream: boolean): number | null;
}>;

/** The weight of the newest call. */
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
      // Most models never reason, and need no entry.
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
