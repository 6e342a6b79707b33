// Scores a request into a tier: a weighted sum of signals for each tier, the highest wins. The same request always gets
// the same answer, and the answer names the signals that decided. It never repeats the text: names of signals are ours.

import { AUTO_TIERS, type AutoTier } from '../../../contract/config.ts';
import { assert } from '../../../platform/assert.ts';
import type { Weights } from './auto-data.ts';
import { type AutoInput, createSignalReader, type Words } from './signals.ts';

/** A signal and how much it raised (or lowered) the score of the tier that won. */
type AutoSignal = Readonly<{ name: string; weight: number }>;

export type AutoScore = Readonly<{
  tier: AutoTier;
  /** Between the winner and the runner-up: 0.5 is a tie, 1 is certain. */
  confidence: number;
  /** The strongest first. */
  signals: readonly AutoSignal[];
}>;

export type Classifier = Readonly<{ classify(input: AutoInput): AutoScore }>;

const SIGNALS_SHOWN_MAX = 5;
const SIGNAL_WEIGHT_MIN = 0.05;

const ALL_TIERS: readonly number[] = AUTO_TIERS.map((_, index) => index);
const tierIndexes = (...tiers: AutoTier[]): readonly number[] => tiers.map((tier) => AUTO_TIERS.indexOf(tier));
const IMAGE_MADE = tierIndexes('image');
const VIDEO_SEEN = tierIndexes('video');
const IMAGE_SEEN = tierIndexes('vision', 'image', 'video');

/** The inputs and outputs that a request needs rule out tiers, whatever its words say. */
export function possibleTiers({ imageInput, videoInput, imageOutput }: AutoInput['needs']): readonly number[] {
  if (imageOutput) return IMAGE_MADE;
  if (videoInput) return VIDEO_SEEN;
  return imageInput ? IMAGE_SEEN : ALL_TIERS;
}

/** The tables take long to make, and many gateways are never asked to choose a model. */
export function createWhenAsked(create: () => Classifier): Classifier {
  let classifier: Classifier | null = null;
  return {
    classify(input) {
      classifier ??= create();
      return classifier.classify(input);
    },
  };
}

export function createClassifier(languages: readonly Words[], { bias, weights }: Weights): Classifier {
  const reader = createSignalReader(languages);
  assert(
    Object.keys(weights).every((name) => reader.names.includes(name)),
    'every signal in catalog/auto/weights.json is still read',
  );
  const tierCount = AUTO_TIERS.length;
  // One flat row for each signal, which the inner loop reads in order.
  const table = Float64Array.from(
    reader.names.flatMap((name) => weights[name] ?? new Array<number>(tierCount).fill(0)),
  );
  const scores = new Float64Array(tierCount);

  const score = (values: Float64Array): void => {
    scores.set(bias);
    for (let signal = 0; signal < values.length; signal += 1) {
      const value = values[signal] ?? 0;
      if (value === 0) continue;
      const row = signal * tierCount;
      for (let tier = 0; tier < tierCount; tier += 1) {
        scores[tier] = (scores[tier] ?? 0) + value * (table[row + tier] ?? 0);
      }
    }
  };

  const explain = (values: Float64Array, tier: number): readonly AutoSignal[] => {
    const signals: AutoSignal[] = [];
    for (let signal = 0; signal < values.length; signal += 1) {
      const weight = (values[signal] ?? 0) * (table[signal * tierCount + tier] ?? 0);
      if (Math.abs(weight) < SIGNAL_WEIGHT_MIN) continue;
      signals.push({ name: reader.names[signal] ?? '', weight: Math.round(weight * 100) / 100 });
    }
    return signals.sort((left, right) => right.weight - left.weight).slice(0, SIGNALS_SHOWN_MAX);
  };

  return {
    classify(input) {
      const values = reader.read(input);
      score(values);
      const { first, second } = bestTwo(scores, possibleTiers(input.needs));
      const margin = second === null ? Number.POSITIVE_INFINITY : (scores[first] ?? 0) - (scores[second] ?? 0);
      const tier = AUTO_TIERS[first];
      assert(tier !== undefined, 'one of the tiers has the highest score');
      return { tier, confidence: Math.round(1000 / (1 + Math.exp(-margin))) / 1000, signals: explain(values, first) };
    },
  };
}

/** Of equal scores the tier that is listed first wins, so that a tie is always decided in the same way. */
function bestTwo(scores: Float64Array, tiers: readonly number[]): { first: number; second: number | null } {
  let first = -1;
  let second: number | null = null;
  for (const tier of tiers) {
    const score = scores[tier] ?? 0;
    if (first < 0 || score > (scores[first] ?? 0)) {
      second = first < 0 ? null : first;
      first = tier;
    } else if (second === null || score > (scores[second] ?? 0)) {
      second = tier;
    }
  }
  return { first, second };
}
