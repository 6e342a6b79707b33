// How many tokens something has: a range, which becomes one figure where the vocabulary is known and the text is not
// too long. A refusal uses the low end, and a promise that it fits uses the high end.

import type { TokenizerName } from '../../canonical/model.ts';
import { countExactly, EXACT_LENGTH_MAX } from './exact-count.ts';
import type { Measure } from './measure.ts';

export type Count = Readonly<{ low: number; high: number }>;

/** How much vocabularies differ from the one that the estimate was fitted to, on ordinary text. */
const TEXT_LOW = 0.8;
const TEXT_HIGH = 1.25;
const MEDIA_LOW = 0.25;
const MEDIA_HIGH = 2;

const NOTHING: Count = { low: 0, high: 0 };

export function addCounts(left: Count, right: Count): Count {
  return { low: left.low + right.low, high: left.high + right.high };
}

export function totalOf(counts: readonly Count[]): Count {
  return counts.reduce(addCounts, NOTHING);
}

/** One figure for people to read. */
export function midpoint(count: Count): number {
  return Math.round((count.low + count.high) / 2);
}

export function roughCount(measure: Measure): Count {
  return countOf(measure, measure.textTokens * TEXT_LOW, measure.textTokens * TEXT_HIGH);
}

/** The best count of each. Null for a family whose vocabulary is not known. */
export async function countEach(
  measures: readonly Measure[],
  tokenizer: TokenizerName | null,
): Promise<readonly Count[]> {
  const length = measures.reduce((sum, measure) => sum + measure.textLength, 0);
  const isCountable = tokenizer !== null && length <= EXACT_LENGTH_MAX;
  const groups = measures.map(({ texts }) => texts);
  const exact = isCountable ? await countExactly(tokenizer, groups) : null;
  return measures.map((measure, index) => {
    const tokens = exact?.[index];
    return tokens === undefined ? roughCount(measure) : countOf(measure, tokens, tokens);
  });
}

function countOf(measure: Measure, textLow: number, textHigh: number): Count {
  const { mediaTokens, overheadTokens } = measure;
  return {
    low: Math.floor(textLow + mediaTokens * MEDIA_LOW + overheadTokens),
    high: Math.ceil(textHigh + mediaTokens * MEDIA_HIGH + overheadTokens),
  };
}
