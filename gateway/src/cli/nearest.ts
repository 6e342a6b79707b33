// Suggests what somebody probably meant: the known word with the fewest typing errors between it and what was typed.

/** Letters changed, left out or added, and neighbours swapped, each counted once. */
function slipsBetween(typed: string, known: string): number {
  const rows: number[][] = [Array.from({ length: known.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= typed.length; row += 1) {
    const line: number[] = [row];
    for (let column = 1; column <= known.length; column += 1) {
      const isSame = typed[row - 1] === known[column - 1];
      const isSwap = row > 1 && typed[row - 1] === known[column - 2] && typed[row - 2] === known[column - 1];
      line.push(
        Math.min(
          (rows[row - 1]?.[column] ?? 0) + 1,
          (line[column - 1] ?? 0) + 1,
          (rows[row - 1]?.[column - 1] ?? 0) + (isSame ? 0 : 1),
          column > 1 && isSwap ? (rows[row - 2]?.[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    rows.push(line);
  }
  return rows[typed.length]?.[known.length] ?? Number.POSITIVE_INFINITY;
}

/** A third of the letters may be wrong, at least one and never all; the beginning of a word is enough. */
export function nearest(typed: string, known: readonly string[]): string | null {
  const slipsMax = Math.min(Math.max(1, Math.floor(typed.length / 3)), typed.length - 1);
  const ranked = known
    .map((word) => ({ word, slips: typed.length > 1 && word.startsWith(typed) ? 0 : slipsBetween(typed, word) }))
    .filter(({ slips }) => slips <= slipsMax)
    .sort((left, right) => left.slips - right.slips);
  return ranked[0]?.word ?? null;
}
