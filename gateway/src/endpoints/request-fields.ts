// Fields that several endpoints read: a known word or a span of time in a query, an amount in a body.

import { DAY_MS, dayStartMs } from '../canonical/calendar.ts';
import { ApiError } from '../errors/api-error.ts';
import { type NanoUsd, parseUsd } from '../platform/money.ts';
import { parseMoment } from './keys/read-moment.ts';

export const refused = (name: string, words: string): ApiError => new ApiError('http_400', `${name}: ${words}`);

/** Null where nothing was given. */
export function oneOf<Value extends string>(name: string, text: string | null, values: readonly Value[]): Value | null {
  if (text === null) return null;
  const value = values.find((known) => known === text);
  if (value === undefined) throw refused(name, `must be one of ${values.join(', ')}.`);
  return value;
}

/** Null where it was left out. */
type TimeSpan = Readonly<{ fromMs: number | null; toMs: number | null }>;

const LAST_MS = Date.UTC(9999, 11, 31);

/** `from` and `to` are days (both included) or moments in ISO 8601 (the second not included). */
export function readSpan(query: URLSearchParams): TimeSpan {
  const fromMs = boundOf(query, 'from', 0);
  const toMs = boundOf(query, 'to', DAY_MS);
  if (fromMs !== null && toMs !== null && toMs <= fromMs) throw refused('to', 'must not be before from.');
  return { fromMs, toMs };
}

function boundOf(query: URLSearchParams, name: 'from' | 'to', ofDayMs: number): number | null {
  const text = query.get(name);
  if (text === null || text === '') return null;
  const dayMs = dayStartMs(text);
  const boundMs = dayMs === null ? parseMoment(text) : dayMs + ofDayMs;
  if (boundMs !== null && boundMs >= 0 && boundMs <= LAST_MS) return boundMs;
  throw refused(name, 'must be a date, YYYY-MM-DD, or a time in ISO 8601.');
}

type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Without members that are undefined, for changes: a field that the caller left out stays as it is. */
export function given<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;
}

/**
 * A limit in USD becomes exact. Callers compute limits (0.1 + 0.2, a third of 100), so one may be finer than a
 * nano-dollar and is rounded; but none becomes zero because it was written too small.
 */
export function usdField(name: string, value: number | null | undefined): NanoUsd | null | undefined {
  if (value === undefined || value === null) return value;
  const limit = parseUsd(value.toFixed(9));
  if (limit !== null && (limit > 0n || value === 0)) return limit;
  throw refused(name, 'must be 0, or an amount in USD from 0.000000001 to nine billion.');
}
