// How likely the tokens of a candidate's text were. The two lists run in parallel, one entry for each step; the chosen
// token need not be among the likeliest.

import type { TokenLogprob } from '../../../canonical/answer.ts';
import { isJsonObject, type JsonObject, listOrEmpty } from '../../../canonical/json.ts';

/** Empty where they were not asked for. */
export function readLogprobs({ logprobsResult }: JsonObject): readonly TokenLogprob[] {
  if (!isJsonObject(logprobsResult)) return [];
  const { chosenCandidates, topCandidates } = logprobsResult;
  const likeliest = listOrEmpty(topCandidates);
  return listOrEmpty(chosenCandidates).flatMap((candidate, step) => {
    const top = likeliest[step];
    const others = isJsonObject(top) ? listOrEmpty(top.candidates).flatMap(readOne) : [];
    return readOne(candidate).map((chosen) => ({ ...chosen, others }));
  });
}

/** A probability of one, whose logarithm is zero, is left out on this wire. */
function readOne(candidate: unknown) {
  if (!isJsonObject(candidate)) return [];
  const { token = '', logProbability: logprob = 0 } = candidate;
  return typeof token === 'string' && typeof logprob === 'number' ? [{ token, logprob }] : [];
}
