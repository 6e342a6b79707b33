// How a price list made the cost of a call, line by line. What the lines do not account for, such as a usage that was
// capped or a cost that the upstream stated itself, is a line of its own, so that they always add up.

import type { ExplanationAnswer } from '../../contract/explanation.ts';
import type { Explanation } from '../../modules/usage/explanation.ts';
import { formatPricePerMillion, formatPricePerUnit, formatScaled } from '../../platform/money.ts';

type PriceList = Readonly<Record<string, string>>;
type Counts = Pick<
  Explanation['record'],
  | 'prompt_tokens'
  | 'completion_tokens'
  | 'cached_tokens'
  | 'cache_write_tokens'
  | 'units'
  | 'subtotal_nano_usd'
  | 'cache_discount_nano_usd'
>;
type Part = Readonly<{ what: string; count: bigint; each: bigint; isMs?: boolean }>;

const MILLION = 1_000_000n;
const THOUSAND = 1_000n;
/** Nano-USD for a million units have fifteen decimals of USD for one. */
const SCALE = 15;

const lesser = (left: bigint, right: bigint): bigint => (left < right ? left : right);

export function costLines(record: Counts, list: PriceList): ExplanationAnswer['lines'] {
  const lines = [...tokenParts(record, list), ...unitParts(record.units ?? {}, list)].filter(
    ({ count, each }) => count > 0n && each > 0n,
  );
  const scaled = lines.reduce((total, line) => total + costOf(line), 0n);
  const rounded = (scaled + MILLION / 2n) / MILLION;
  const rest = record.subtotal_nano_usd - record.cache_discount_nano_usd - rounded;
  return [
    ...lines.map((line) => ({
      what: line.what,
      units: line.isMs === true ? Number(line.count) / Number(THOUSAND) : Number(line.count),
      perMillionUsd: formatPricePerMillion(line.each),
      unitUsd: formatPricePerUnit(line.each),
      usd: formatScaled(costOf(line), SCALE),
    })),
    ...(rest === 0n ? [] : [correction(rest)]),
  ];
}

const correction = (nanoUsd: bigint): ExplanationAnswer['lines'][number] => ({
  ...{ what: 'corrections', units: 1, perMillionUsd: null, unitUsd: null },
  usd: formatScaled(nanoUsd * MILLION, SCALE),
});

/** A price per second is applied to the millisecond. */
const costOf = ({ count, each, isMs }: Part): bigint => (isMs === true ? (count * each) / THOUSAND : count * each);

const priceOf = (list: PriceList, ...names: readonly string[]): bigint =>
  BigInt(names.map((name) => list[name]).find((price) => price !== undefined) ?? 0);

function tokenParts(record: Counts, list: PriceList): readonly Part[] {
  const cached = lesser(record.cached_tokens, record.prompt_tokens);
  const written = lesser(record.cache_write_tokens, record.prompt_tokens - cached);
  const forAnHour = lesser(BigInt(record.units?.cacheWriteHourTokens ?? 0), written);
  const plain = record.prompt_tokens - cached - written;
  const write = ['cacheWrite', 'prompt'];
  return [
    { what: 'prompt tokens', count: plain, each: priceOf(list, 'prompt') },
    { what: 'tokens read from a cache', count: cached, each: priceOf(list, 'cacheRead', 'prompt') },
    { what: 'tokens written to a cache', count: written - forAnHour, each: priceOf(list, ...write) },
    {
      what: 'tokens that a cache keeps for an hour',
      count: forAnHour,
      each: priceOf(list, 'cacheWriteHour', ...write),
    },
    { what: 'completion tokens', count: record.completion_tokens, each: priceOf(list, 'completion') },
    { what: 'request', count: 1n, each: priceOf(list, 'request') },
  ];
}

function unitParts(units: Readonly<Record<string, number>>, list: PriceList): readonly Part[] {
  const count = (name: string): bigint => BigInt(units[name] ?? 0);
  return [
    { what: 'characters', count: count('characters'), each: priceOf(list, 'character', 'prompt') },
    { what: 'images', count: count('images'), each: priceOf(list, 'image') },
    { what: 'seconds of sound', count: count('audioMs'), each: priceOf(list, 'audioSecond'), isMs: true },
    { what: 'seconds of video', count: count('videoMs'), each: priceOf(list, 'videoSecond'), isMs: true },
    { what: 'searches of documents', count: count('searches'), each: priceOf(list, 'search') },
    { what: 'searches of the web', count: count('webSearches'), each: priceOf(list, 'webSearch') },
    { what: "uses of the provider's tools", count: count('hostedTools'), each: priceOf(list, 'hostedTool') },
  ];
}
