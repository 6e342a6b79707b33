// Log probabilities in the form of the real API: one entry for each piece of the answer, with alternatives. The figures
// have no meaning and are always the same.

import { type JsonObject, numberAt } from '../../json.ts';

const LOGPROB = -0.1;
const TOP_MAX = 20;

/** How many alternatives are asked for; undefined when no probabilities are. */
export function alternativesOf(body: JsonObject): number | undefined {
  if (body.logprobs !== true) return undefined;
  return Math.min(numberAt(body, 'top_logprobs') ?? 0, TOP_MAX);
}

export function logprobsOf(pieces: readonly string[], alternatives: number | undefined): JsonObject | null {
  if (alternatives === undefined) return null;
  return { content: pieces.map((piece) => entry(piece, alternatives)), refusal: null };
}

function entry(token: string, alternatives: number): JsonObject {
  const top = Array.from({ length: alternatives }, (_, rank) =>
    probability(rank === 0 ? token : ` other${rank}`, LOGPROB * (rank + 1)),
  );
  return { ...probability(token, LOGPROB), top_logprobs: top };
}

const probability = (token: string, logprob: number): JsonObject => ({
  token,
  logprob,
  bytes: [...Buffer.from(token)],
});
