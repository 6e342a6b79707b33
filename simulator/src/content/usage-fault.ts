// Changes the figures of a usage record on command. It works on any record, because it only changes the numbers in it.

import type { UsageFault } from '../command-rules.ts';
import { isObject, type JsonObject } from '../json.ts';

// Above any context, yet a safe integer: only a bound can catch it.
const ABSURD_TOKENS = 4_000_000_000_000;

function mapNumbers(value: unknown, change: (figure: number) => unknown): unknown {
  if (typeof value === 'number') return change(value);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapNumbers(inner, change)]));
}

const CHANGES: Readonly<Partial<Record<UsageFault, (figure: number) => unknown>>> = {
  zero: () => 0,
  negative: (figure) => -figure - 1,
  fraction: (figure) => figure + 0.5,
  string: (figure) => String(figure),
  absurd: () => ABSURD_TOKENS,
};

/** Undefined means that the answer has no usage field at all. */
export function bendUsage(usage: JsonObject, fault: UsageFault | undefined): unknown {
  if (fault === 'none') return undefined;
  if (fault === 'null') return null;
  const change = fault === undefined ? undefined : CHANGES[fault];
  return change === undefined ? usage : mapNumbers(usage, change);
}
