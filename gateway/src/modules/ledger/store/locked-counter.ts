// How statements change a counter, as they change accounts: from a `locked` row and never from the row's own figures.

const FIGURES = ['spent_nano_usd', 'leased_nano_usd', 'held_nano_usd'] as const;

/** The columns that a `locked` CTE over `spend_counters c` selects. */
export const LOCKED_COUNTER_COLUMNS = ['id', ...FIGURES].map((column) => `c.${column}`).join(', ');

/** The assignments of an update: every figure from `locked`, those that are given with the term added. */
export function setCounter(
  terms: Readonly<Partial<Record<(typeof FIGURES)[number], string>>>,
  locked = 'locked',
): string {
  return FIGURES.map((figure) => `${figure} = ${locked}.${figure} ${terms[figure] ?? ''}`).join(', ');
}
