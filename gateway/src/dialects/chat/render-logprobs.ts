// How likely the tokens of a text were, in the form of chat completions: each with its bytes, because a token may be
// part of a character.

import type { TokenLogprob } from '../../canonical/answer.ts';
import type { JsonObject } from '../../canonical/json.ts';

export function renderChatLogprobs(tokens: readonly TokenLogprob[]): JsonObject {
  return { content: tokens.map(renderToken), refusal: null };
}

export function renderToken({ others, ...chosen }: TokenLogprob): JsonObject {
  return { ...withBytes(chosen), top_logprobs: others.map(withBytes) };
}

function withBytes({ token, logprob }: Readonly<{ token: string; logprob: number }>): JsonObject {
  return { token, logprob, bytes: [...Buffer.from(token, 'utf8')] };
}
