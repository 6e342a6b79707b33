// Calendar months in UTC, by which statements are cut.

export type Month = Readonly<{ year: number; month: number }>;

/** The years for which a statement can be asked. */
export const YEAR_MIN = 2000;
export const YEAR_MAX = 2100;

export const isMonth = ({ year, month }: Month): boolean =>
  Number.isInteger(year) &&
  year >= YEAR_MIN &&
  year <= YEAR_MAX &&
  Number.isInteger(month) &&
  month >= 1 &&
  month <= 12;

/** `2026-03`; null for what is no month. */
export function parseMonth(text: string): Month | null {
  const match = /^(\d{4})-(\d{2})$/.exec(text);
  const month = { year: Number(match?.[1]), month: Number(match?.[2]) };
  return isMonth(month) ? month : null;
}

export const formatMonth = ({ year, month }: Month): string => `${year}-${String(month).padStart(2, '0')}`;

export const monthStartMs = ({ year, month }: Month): number => Date.UTC(year, month - 1, 1);

/** The first moment after the month. */
export const monthEndMs = ({ year, month }: Month): number => Date.UTC(year, month, 1);

export function monthBefore(nowMs: number): Month {
  const now = new Date(nowMs);
  const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1));
  return { year: start.getUTCFullYear(), month: start.getUTCMonth() + 1 };
}
