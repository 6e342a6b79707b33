// Turns the rows of a report into bars: the longest few, relative to the longest, in the colours of the largest parts.
// The sums here are only for drawing.

type SpendPart = Readonly<{ id: string; value: number }>;
export type SpendRow = Readonly<{ id: string; label: string; total: number; parts: readonly SpendPart[] }>;

type Coloured = Readonly<{ id: string; label: string; color: string }>;
type Bar = Omit<SpendRow, 'parts'> &
  Readonly<{
    /** Relative to the longest. */
    width: number;
    parts: readonly (Coloured & Readonly<{ value: number; share: number }>)[];
  }>;

export type Bars = Readonly<{ bars: readonly Bar[]; legend: readonly Coloured[] }>;

const BARS_MAX = 12;
const COLORS_MAX = 5;
const REST: Coloured = { id: ' rest', label: 'Other models', color: 'var(--chart-6)' };

export function barsOf(rows: readonly SpendRow[]): Bars {
  const spent = rows.filter(({ total }) => total > 0);
  const longest = Math.max(0, ...spent.map(({ total }) => total));
  const colours = coloursOf(spent);
  const bars = spent
    .toSorted((left, right) => right.total - left.total)
    .slice(0, BARS_MAX)
    .map((row) => ({ ...row, width: row.total / longest, parts: partsOf(row, colours) }));
  const hasRest = bars.some(({ parts }) => parts.some(({ id }) => id === REST.id));
  return { bars, legend: hasRest ? [...colours, REST] : colours };
}

function coloursOf(rows: readonly SpendRow[]): readonly Coloured[] {
  const sums = new Map<string, number>();
  for (const { id, value } of rows.flatMap(({ parts }) => parts)) sums.set(id, (sums.get(id) ?? 0) + value);
  return [...sums]
    .toSorted(([, left], [, right]) => right - left)
    .slice(0, COLORS_MAX)
    .map(([id], index) => ({ id, label: id, color: `var(--chart-${index + 1})` }));
}

function partsOf({ total, parts }: SpendRow, colours: readonly Coloured[]): Bar['parts'] {
  const named = colours.flatMap((colour) => {
    const value = parts.find(({ id }) => id === colour.id)?.value ?? 0;
    return value > 0 ? [{ ...colour, value, share: value / total }] : [];
  });
  const rest = total - named.reduce((sum, { value }) => sum + value, 0);
  return rest > total * 1e-9 ? [...named, { ...REST, value: rest, share: rest / total }] : named;
}
