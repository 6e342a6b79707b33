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
export const LOCKED_COLUMNS = ['id', 'kind', ...FIGURES, 'owed_nano_usd'].map((column) => `a.${column}`).join(', ');

/** The balance and the credit line of a `locked` row, whatever is leased or held of them. */
export const SPENDABLE = '(locked.balance_nano_usd + locked.credit_line_nano_usd)';

/** What is neither leased nor held of a `locked` row. Negative when a payment was taken back after it was spent. */
export const AVAILABLE = `(${SPENDABLE} - locked.leased_nano_usd - locked.held_nano_usd)`;

/** What a charge may take besides its slice or reservation: a debt does not reduce those. */
export const CHARGEABLE = `(${AVAILABLE} + locked.owed_nano_usd)`;

type Terms = Readonly<Partial<Record<(typeof FIGURES)[number], string>>>;

/**
 * The assignments of an update: every figure from `locked`, those that are given with the term added. Money that comes
 * in or back pays what is owed first; `owed` says otherwise.
 */
export function setFigures(terms: Terms, owed = lessOwed(terms)): string {
  const figures = FIGURES.map((figure) => `${figure} = locked.${figure} ${terms[figure] ?? ''}`);
  return [...figures, `owed_nano_usd = ${owed}`].join(', ');
}

/** What the account is below zero by after the change, but no more than it owed before. */
const lessOwed = (terms: Terms): string => `least(locked.owed_nano_usd, greatest(0, ${missingAfter(terms)}))`;

/** By how much more is leased, held and spent than there is, once `terms` are added. */
export function missingAfter(terms: Terms): string {
  const after = (figure: (typeof FIGURES)[number]): string => `(locked.${figure} ${terms[figure] ?? ''})`;
  const used = `${after('leased_nano_usd')} + ${after('held_nano_usd')}`;
  return `${used} - ${after('balance_nano_usd')} - ${after('credit_line_nano_usd')}`;
}

/** Counters of caps are changed in the same way. */
const COUNTER_FIGURES = ['spent_nano_usd', 'leased_nano_usd', 'held_nano_usd'] as const;

/** The columns that a `locked` CTE over `spend_counters c` selects. */
export const LOCKED_COUNTER_COLUMNS = ['id', ...COUNTER_FIGURES].map((column) => `c.${column}`).join(', ');

/** The assignments of an update: every figure from `locked`, those that are given with the term added. */
export function setCounter(
  terms: Readonly<Partial<Record<(typeof COUNTER_FIGURES)[number], string>>>,
  locked = 'locked',
): string {
  return COUNTER_FIGURES.map((figure) => `${figure} = ${locked}.${figure} ${terms[figure] ?? ''}`).join(', ');
}
