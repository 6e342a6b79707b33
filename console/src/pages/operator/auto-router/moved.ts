// A list with one of its members at another place.

export function moved<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const taken = items.slice(from, from + 1);
  return items.toSpliced(from, 1).toSpliced(to, 0, ...taken);
}
