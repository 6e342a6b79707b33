// The message for a prompt that is too long, worded as vendors word it: frameworks and agents search for these words
// when they decide to shorten a conversation and ask again, so the figures, their order and the vendors' name for this
// error at the end are part of the interface. Some look for one phrase and some for another.

/** Null for a figure that is not known. */
export type ContextOverflow = Readonly<{ tokens: number | null; tokensMax: number | null }>;

const CODE_OF_VENDORS = '(context_length_exceeded)';

/** `input` is the name of the one that is too long, where it is not a conversation. */
export function overflowMessage({ tokens, tokensMax }: ContextOverflow, input?: string): string {
  const advice = `Please reduce the length of ${input ?? 'the messages'} ${CODE_OF_VENDORS}.`;
  if (tokens === null || tokensMax === null) {
    return `This model's maximum context length is not enough: your input exceeds the context window. ${advice}`;
  }
  const subject = input ?? 'your messages';
  return `This model's maximum context length is ${tokensMax} tokens. However, ${subject} resulted in ${tokens} tokens. ${advice}`;
}

export function messagesOverflowMessage({ tokens, tokensMax }: ContextOverflow): string {
  if (tokens === null || tokensMax === null) return 'prompt is too long';
  return `prompt is too long: ${tokens} tokens > ${tokensMax} maximum`;
}
