// The difference of two texts, line by line, with a few equal lines around each change. It is shown to people and never
// applied, so a longest common sequence of lines is enough.

export type DiffLine = Readonly<{ kind: 'same' | 'added' | 'removed' | 'gap'; text: string }>;

const AROUND = 2;
/**
 * Beyond this many lines on both sides the middle is shown as replaced: a table of all pairs would not fit in memory.
 */
const PAIRS_MAX = 4_000_000;

export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const middle = changedLines(old.slice(start, old.length - end), now.slice(start, now.length - end));
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  return withoutFarLines([...old.slice(0, start).map(same), ...middle, ...old.slice(old.length - end).map(same)]);
}

function changedLines(old: readonly string[], now: readonly string[]): DiffLine[] {
  if (old.length * now.length > PAIRS_MAX) return replaced(old, now);
  const lengths = commonLengths(old, now);
  const lines: DiffLine[] = [];
  let [left, right] = [0, 0];
  while (left < old.length && right < now.length) {
    const [oldLine = '', newLine = ''] = [old[left], now[right]];
    if (oldLine === newLine) {
      lines.push({ kind: 'same', text: oldLine });
      left += 1;
      right += 1;
    } else if ((lengths[left + 1]?.[right] ?? 0) >= (lengths[left]?.[right + 1] ?? 0)) {
      lines.push({ kind: 'removed', text: oldLine });
      left += 1;
    } else {
      lines.push({ kind: 'added', text: newLine });
      right += 1;
    }
  }
  return [...lines, ...replaced(old.slice(left), now.slice(right))];
}

/** How many lines the rests of both texts have in common, from each pair of places on. */
function commonLengths(old: readonly string[], now: readonly string[]): readonly Uint32Array[] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  for (let left = old.length - 1; left >= 0; left -= 1) {
    const [row, below] = [lengths[left], lengths[left + 1]];
    if (row === undefined || below === undefined) continue;
    for (let right = now.length - 1; right >= 0; right -= 1) {
      const isSame = old[left] === now[right];
      row[right] = isSame ? (below[right + 1] ?? 0) + 1 : Math.max(below[right] ?? 0, row[right + 1] ?? 0);
    }
  }
  return lengths;
}

const replaced = (old: readonly string[], now: readonly string[]): DiffLine[] => [
  ...old.map((text): DiffLine => ({ kind: 'removed', text })),
  ...now.map((text): DiffLine => ({ kind: 'added', text })),
];

function withoutFarLines(lines: readonly DiffLine[]): readonly DiffLine[] {
  const isNear = (index: number): boolean =>
    lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(({ kind }) => kind !== 'same');
  const shown: DiffLine[] = [];
  lines.forEach((line, index) => {
    if (isNear(index)) shown.push(line);
    else if (shown.at(-1)?.kind !== 'gap') shown.push({ kind: 'gap', text: '…' });
  });
  return shown;
}
