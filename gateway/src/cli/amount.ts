// Amounts of money on the command line: decimal text all the way, so that no digit is lost on it.

import { parseUsd } from '../platform/money.ts';
import { UsageError } from './command.ts';

/** The text as it was given, known to be an amount. `name` is what the person knows it by. */
export function checkedAmount(name: string, text: string, least: bigint): string {
  const amountNanoUsd = parseUsd(text);
  if (amountNanoUsd !== null && amountNanoUsd >= least) return text;
  const bound = least === 0n ? '' : 'above 0 ';
  throw new UsageError(`${name} is in USD, ${bound}with at most nine decimals: 25 or 0.5, not ${text}.`);
}
