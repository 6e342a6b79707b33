// How likely the tokens of a text were, as chat completions state it in a choice and Responses in a text block.

import type { TokenLogprob } from '../../../canonical/answer.ts';
import { isJsonObject } from '../../../canonical/json.ts';

/** Empty where they were not asked for. */
export function readLogprobs(value: unknown): readonly TokenLogprob[] {
  const list: unknown = isJsonObject(value) ? value.content : value;
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry) => {
    const others: unknown = isJsonObject(entry) ? entry.top_logprobs : undefined;
    return readOne(entry).map((chosen) => ({
      ...chosen,
      others: Array.isArray(others) ? others.flatMap(readOne) : [],
    }));
  });
}

function readOne(entry: unknown): readonly Readonly<{ token: string; logprob: number }>[] {
  if (!isJsonObject(entry)) return [];
  const { token, logprob } = entry;
  return typeof token === 'string' && typeof logprob === 'number' ? [{ token, logprob }] : [];
}
