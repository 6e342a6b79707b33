// The ticks of a vertical axis: even steps that people count in, all written in the same way.

export type Unit = 'usd' | 'count';

export type Axis = Readonly<{ ticks: readonly number[]; textOf: (tick: number) => string }>;

const STEPS_WANTED = 4;
const ROUND = [1, 2, 2.5, 5, 10];
const SCALES = [
  [1_000_000_000, 'B'],
  [1_000_000, 'M'],
  [1_000, 'K'],
] as const;
/** Up to here figures are written out. */
const PLAIN_MAX = 9_999;

export function axisOf(largest: number, unit: Unit): Axis {
  // Where there is no value yet, one of whatever is counted.
  const step = largest === 0 ? 1 : stepOf(largest, unit);
  const count = Math.max(1, Math.ceil(largest / step - 1e-9));
  const ticks = Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
  const top = ticks.at(-1) ?? step;
  const [divisor, letter] = top > PLAIN_MAX ? (SCALES.find(([size]) => top >= size) ?? [1, '']) : [1, ''];
  const needed = decimalsOf(step / divisor);
  // Half a dollar is written with its cents.
  const decimals = unit === 'usd' && needed === 1 && letter === '' ? 2 : needed;
  const format = new Intl.NumberFormat('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  const sign = unit === 'usd' ? '$' : '';
  return { ticks, textOf: (tick) => `${sign}${format.format(tick / divisor)}${letter}` };
}

function stepOf(largest: number, unit: Unit): number {
  const least = unit === 'count' ? 1 : 1e-9;
  const raw = Math.max(largest / STEPS_WANTED, least);
  const power = 10 ** Math.floor(Math.log10(raw));
  const round = ROUND.find((factor) => factor * power >= raw * (1 - 1e-9)) ?? 10;
  const step = round * power;
  return unit === 'count' ? Math.max(1, Math.ceil(step)) : step;
}

/** As many decimals as the step needs. */
function decimalsOf(step: number): number {
  for (let decimals = 0; decimals < 12; decimals += 1) {
    const scaled = step * 10 ** decimals;
    if (Math.abs(scaled - Math.round(scaled)) < 1e-6 * scaled) return decimals;
  }
  return 12;
}
