// How a price list made the cost of a call, line by line. What the lines do not explain, such as capped usage or a cost
// that the upstream stated, is a line of its own, so that they always add up.

import { MULTIPLIER_NOTE, TIER_NOTE } from '../canonical/extras.ts';
import type { ExplanationAnswer } from '../contract/explanation.ts';
import type { ExplainedRow } from '../modules/usage/store/explanation.ts';
import { formatPricePerMillion, formatPricePerUnit, formatScaled, lesserOf } from '../platform/money.ts';

/** As it was kept with the charge: nano-USD for a million units as decimal text, by name, and its extras. */
type KeptPriceList = Readonly<Record<string, string>>;

/** The parts of a kept list that are not prices. */
export type PriceTerms = Readonly<{
  /** Null where the ordinary prices applied. */
  tierAbovePromptTokens: number | null;
  completionMultiplier: number;
  extras: readonly string[];
}>;

export function priceTerms({ extras = '' }: KeptPriceList): PriceTerms {
  const names = extras.split(' ').filter((name) => name !== '');
  const noted = (note: string): number | null => {
    const found = names.find((name) => name.startsWith(note));
    return found === undefined ? null : Number(found.slice(note.length));
  };
  return {
    tierAbovePromptTokens: noted(TIER_NOTE),
    completionMultiplier: noted(MULTIPLIER_NOTE) ?? 1,
    extras: names.filter((name) => !name.startsWith(TIER_NOTE) && !name.startsWith(MULTIPLIER_NOTE)),
  };
}

type Counts = Pick<
  ExplainedRow,
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

export function costLines(record: Counts, list: KeptPriceList): ExplanationAnswer['lines'] {
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

const priceOf = (list: KeptPriceList, ...names: readonly string[]): bigint =>
  BigInt(names.map((name) => list[name]).find((price) => price !== undefined) ?? 0);

function tokenParts(record: Counts, list: KeptPriceList): readonly Part[] {
  const cached = lesserOf(record.cached_tokens, record.prompt_tokens);
  const written = lesserOf(record.cache_write_tokens, record.prompt_tokens - cached);
  const forAnHour = lesserOf(BigInt(record.units?.cacheWriteHourTokens ?? 0), written);
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

function unitParts(units: Readonly<Record<string, number>>, list: KeptPriceList): readonly Part[] {
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
