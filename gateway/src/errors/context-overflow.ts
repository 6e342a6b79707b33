// A prompt that is too long, in the words by which clients know it from vendors: frameworks go by them when they decide to
// shorten a conversation and ask again, so the figures and their order are part of the interface.

/** Null for what nobody has said. */
export type ContextOverflow = Readonly<{ tokens: number | null; tokensMax: number | null }>;

/** `what` is what has that many tokens. */
export function overflowMessage({ tokens, tokensMax }: ContextOverflow, what = 'your messages'): string {
  const limit = tokensMax === null ? 'exceeded' : `${tokensMax} tokens`;
  const length = tokens === null ? 'are longer than that' : `resulted in ${tokens} tokens`;
  return `This model's maximum context length is ${limit}. However, ${what} ${length}. Please reduce their length.`;
}

export function messagesOverflowMessage({ tokens, tokensMax }: ContextOverflow): string {
  if (tokens === null || tokensMax === null) return 'prompt is too long';
  return `prompt is too long: ${tokens} tokens > ${tokensMax} maximum`;
}
