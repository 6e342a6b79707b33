// How often the auto router is right, counted over labelled prompts: as scored, after promotion, by tier, by language,
// and which tiers it takes for which.

import { readWeights, readWords } from '../../gateway/src/modules/routing/auto/auto-data.ts';
import { type Classifier, createClassifier } from '../../gateway/src/modules/routing/auto/classifier.ts';
import { promote } from '../../gateway/src/modules/routing/auto/promote.ts';
import { inputOf, type LabelledPrompt } from './auto-prompts.ts';

export type Share = { right: number; all: number };

export type Accuracy = Readonly<{
  scored: Share;
  /** What is served: the scored tier, or the one above it. */
  promoted: Share;
  byTier: ReadonlyMap<string, Share>;
  byLanguage: ReadonlyMap<string, Share>;
  /** `label -> taken for`, the most frequent first. */
  confusions: readonly (readonly [string, number])[];
}>;

export const loadClassifier = (): Classifier => createClassifier(readWords(), readWeights());

export function measureAccuracy(classifier: Classifier, prompts: readonly LabelledPrompt[]): Accuracy {
  const scored: Share = { right: 0, all: 0 };
  const promoted: Share = { right: 0, all: 0 };
  const byTier = new Map<string, Share>();
  const byLanguage = new Map<string, Share>();
  const confusions = new Map<string, number>();
  for (const prompt of prompts) {
    const score = classifier.classify(inputOf(prompt));
    const isRight = score.tier === prompt.tier;
    for (const share of [scored, shareOf(byTier, prompt.tier), shareOf(byLanguage, prompt.language)]) {
      count(share, isRight);
    }
    count(promoted, promote(score).tier === prompt.tier);
    if (isRight) continue;
    const pair = `${prompt.tier} -> ${score.tier}`;
    confusions.set(pair, (confusions.get(pair) ?? 0) + 1);
  }
  const pairs = [...confusions].sort((left, right) => right[1] - left[1] || left[0].localeCompare(right[0]));
  return { scored, promoted, byTier, byLanguage, confusions: pairs };
}

function count(share: Share, isRight: boolean): void {
  share.all += 1;
  if (isRight) share.right += 1;
}

function shareOf(shares: Map<string, Share>, name: string): Share {
  const share = shares.get(name) ?? { right: 0, all: 0 };
  shares.set(name, share);
  return share;
}
