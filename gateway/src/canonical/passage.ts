// What people and models have written into a request, in the pieces that belong together. A reviewer reads passages: what
// one message says may be spread over several parts, and where words come from decides what they are judged by.

/** Who wrote it: whoever instructs the model, the user, the model itself earlier on, or a tool that it called. */
export type PassageOrigin = 'instructions' | 'user' | 'assistant' | 'tool';

export type Passage = Readonly<{ origin: PassageOrigin; parts: readonly string[] }>;

/** Replaces one part. It is asked for every part of every passage, in their order. */
export type ReplacePart = (part: string) => string;

export const userPassage = (...parts: readonly string[]): Passage => ({ origin: 'user', parts });

export const instructionsPassage = (...parts: readonly string[]): Passage => ({ origin: 'instructions', parts });
