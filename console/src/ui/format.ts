// Numbers and times as people read them. Money arrives as a JSON number and is only ever shown, never added up here.

const WHOLE = new Intl.NumberFormat('en-US');
const COMPACT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const DATE_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });

/**
 * Two decimals from a dollar up and for whole cents, four for amounts between cents; below a cent as many as show three
 * significant digits.
 */
export function formatUsd(amount: number): string {
  const size = Math.abs(amount);
  if (size === 0 || size >= 0.995) return money(amount, 2, 2);
  if (size >= 0.01) return isWholeCents(size) ? money(amount, 2, 2) : money(amount, 4, 4);
  return money(amount, 2, Math.min(9, 2 - Math.floor(Math.log10(size))));
}

/** With every significant decimal, for amounts that must visibly add up. */
export const formatExactUsd = (amount: number): string => money(amount, 2, 9);

const isWholeCents = (size: number): boolean => Math.round(size * 10_000) % 100 === 0;

function money(amount: number, digitsMin: number, digitsMax: number): string {
  const sign = amount < 0 ? '-' : '';
  const text = new Intl.NumberFormat('en-US', { minimumFractionDigits: digitsMin, maximumFractionDigits: digitsMax });
  return `${sign}$${text.format(Math.abs(amount))}`;
}

export const formatCount = (count: number): string => WHOLE.format(count);
export const formatCompact = (count: number): string => COMPACT.format(count);
export const formatDate = (time: string | number | Date): string => DATE.format(new Date(time));
export const formatDateTime = (time: string | number | Date): string => `${DATE_TIME.format(new Date(time))} UTC`;

export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  return `${(milliseconds / 1_000).toFixed(milliseconds < 10_000 ? 2 : 1)} s`;
}

export function formatPercent(share: number): string {
  if (share > 0 && share < 0.0005) return '<0.1 %';
  return `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}
