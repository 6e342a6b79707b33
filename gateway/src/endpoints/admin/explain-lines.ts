// How a price list made the cost of a call, line by line. What the lines of tokens do not account for, such as images or
// a usage that was capped, is a line of its own, so that they always add up.

import type { ExplanationAnswer } from '../../contract/explanation.ts';
import type { Explanation } from '../../modules/usage/explanation.ts';
import { formatScaled } from '../../platform/money.ts';

type PriceList = Readonly<Record<string, string>>;
type Counts = Pick<
  Explanation['record'],
  'prompt_tokens' | 'completion_tokens' | 'cached_tokens' | 'cache_write_tokens' | 'subtotal_nano_usd'
> &
  Readonly<{ cache_discount_nano_usd: bigint }>;

const MILLION = 1_000_000n;
/** Nano-USD for a million units have fifteen decimals of USD for one. */
const SCALE = 15;

const lesser = (left: bigint, right: bigint): bigint => (left < right ? left : right);

export function costLines(record: Counts, list: PriceList): ExplanationAnswer['lines'] {
  const price = (name: string, otherwise = 'prompt'): bigint => BigInt(list[name] ?? list[otherwise] ?? 0);
  const cached = lesser(record.cached_tokens, record.prompt_tokens);
  const written = lesser(record.cache_write_tokens, record.prompt_tokens - cached);
  const parts = [
    { what: 'prompt tokens', units: record.prompt_tokens - cached - written, each: price('prompt') },
    { what: 'tokens read from a cache', units: cached, each: price('cacheRead') },
    { what: 'tokens written to a cache', units: written, each: price('cacheWrite') },
    { what: 'completion tokens', units: record.completion_tokens, each: price('completion') },
    { what: 'request', units: 1n, each: price('request', '') },
  ];
  const lines = parts.filter(({ units, each }) => units > 0n && each > 0n);
  const scaled = lines.reduce((total, { units, each }) => total + units * each, 0n);
  const rounded = (scaled + MILLION / 2n) / MILLION;
  const rest = record.subtotal_nano_usd - record.cache_discount_nano_usd - rounded;
  return [
    ...lines.map(({ what, units, each }) => ({
      what,
      units: Number(units),
      usd: formatScaled(units * each, SCALE),
    })),
    ...(rest === 0n
      ? []
      : [{ what: 'other units and corrections', units: 1, usd: formatScaled(rest * MILLION, SCALE) }]),
  ];
}
