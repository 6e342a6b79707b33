// How every statement of the ledger changes an account: it locks the row in a `locked` CTE and then sets all figures to
// values computed from that, never `figure = figure + x` on the row itself. An update first builds the row from the
// statement's snapshot and checks the constraints on it, before it notices that the row has moved on; a sum of a stale
// figure and a fresh one would be refused although the true result is sound.

import { NANO_PER_USD } from '../../../platform/money.ts';

/** An account's figures, and their sums with each other, must stay within the database's integers. */
export const ACCOUNT_NANO_USD_MAX = 9_000_000_000n * NANO_PER_USD;

const FIGURES = [
  'balance_nano_usd',
  'credit_line_nano_usd',
  'leased_nano_usd',
  'held_nano_usd',
  'total_credited_nano_usd',
  'total_spent_nano_usd',
] as const;

/** The columns that a `locked` CTE over `accounts a` selects. */
export const LOCKED_COLUMNS = ['id', 'kind', ...FIGURES].map((column) => `a.${column}`).join(', ');

/** The balance and the credit line of a `locked` row, whoever has leased or holds how much of them. */
export const SPENDABLE = '(locked.balance_nano_usd + locked.credit_line_nano_usd)';

/** What nobody has leased or holds, of a `locked` row. */
export const AVAILABLE = `(${SPENDABLE} - locked.leased_nano_usd - locked.held_nano_usd)`;

/** The assignments of an update: every figure from `locked`, those that are given with the term added. */
export function setFigures(terms: Readonly<Partial<Record<(typeof FIGURES)[number], string>>>): string {
  return FIGURES.map((figure) => `${figure} = locked.${figure} ${terms[figure] ?? ''}`).join(', ');
}
