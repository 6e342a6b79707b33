// The message for a prompt that is too long, worded as vendors word it: frameworks search for these words when they
// decide to shorten a conversation and ask again, so the figures and their order are part of the interface.

/** Null for a figure that is not known. */
export type ContextOverflow = Readonly<{ tokens: number | null; tokensMax: number | null }>;

/** `what` names the thing that has this many tokens. */
export function overflowMessage({ tokens, tokensMax }: ContextOverflow, what = 'your messages'): string {
  const limit = tokensMax === null ? 'exceeded' : `${tokensMax} tokens`;
  const length = tokens === null ? 'are longer than that' : `resulted in ${tokens} tokens`;
  return `This model's maximum context length is ${limit}. However, ${what} ${length}. Please reduce their length.`;
}

export function messagesOverflowMessage({ tokens, tokensMax }: ContextOverflow): string {
  if (tokens === null || tokensMax === null) return 'prompt is too long';
  return `prompt is too long: ${tokens} tokens > ${tokensMax} maximum`;
}
