// Multinomial logistic regression, small and deterministic: full-batch gradient descent with momentum from zero, the
// same numbers on every run. Tiers that a request's needs rule out are left out of its softmax.

export type Example = Readonly<{
  /** The signals that are not zero. */
  signals: readonly Readonly<{ index: number; value: number }>[];
  label: number;
  /** Indexes of the labels that are possible for it. */
  possible: readonly number[];
}>;

export type Fit = Readonly<{ bias: Float64Array; weights: readonly Float64Array[] }>;

export type FitOptions = Readonly<{ signalCount: number; labelCount: number; penalty: number; rounds: number }>;

const RATE = 2;
const MOMENTUM = 0.9;

export function fit(examples: readonly Example[], options: FitOptions): Fit {
  const { signalCount, labelCount, penalty, rounds } = options;
  const rows = signalCount + 1;
  const weights = new Float64Array(rows * labelCount);
  const velocity = new Float64Array(rows * labelCount);
  const gradient = new Float64Array(rows * labelCount);
  for (let round = 0; round < rounds; round += 1) {
    gradient.fill(0);
    for (const example of examples) addGradient(gradient, weights, example, options);
    for (let index = 0; index < weights.length; index += 1) {
      const isBias = index >= signalCount * labelCount;
      const slope = (gradient[index]! + (isBias ? 0 : penalty * weights[index]!)) / examples.length;
      velocity[index] = MOMENTUM * velocity[index]! - RATE * slope;
      weights[index]! += velocity[index]!;
    }
  }
  const row = (index: number): Float64Array => weights.slice(index * labelCount, (index + 1) * labelCount);
  return { bias: row(signalCount), weights: Array.from({ length: signalCount }, (_, index) => row(index)) };
}

function addGradient(gradient: Float64Array, weights: Float64Array, example: Example, options: FitOptions): void {
  const { signalCount, labelCount } = options;
  const scores = example.possible.map((label) => {
    let score = weights[signalCount * labelCount + label]!;
    for (const { index, value } of example.signals) score += weights[index * labelCount + label]! * value;
    return score;
  });
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const sum = powers.reduce((total, power) => total + power, 0);
  for (const [position, label] of example.possible.entries()) {
    const error = powers[position]! / sum - (label === example.label ? 1 : 0);
    gradient[signalCount * labelCount + label]! += error;
    for (const { index, value } of example.signals) gradient[index * labelCount + label]! += error * value;
  }
}
