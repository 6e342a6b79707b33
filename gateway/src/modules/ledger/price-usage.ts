// What a call costs by its usage: pure arithmetic on bigint. The prompt's length selects one price list for the whole
// call, and a charge is rounded once, half up. A reservation's estimate rounds up instead, so it never falls short.

import { createHash } from 'node:crypto';
import { extrasOfList, keepExtras, MULTIPLIER_NOTE, noteTier } from '../../canonical/extras.ts';
import {
  NO_PRICES,
  type PriceList,
  type PriceSchedule,
  selectPriceList,
  WEB_SEARCH_LIST_PRICE,
} from '../../canonical/price.ts';
import type { CacheKept } from '../../canonical/request.ts';
import { isZeroUsage, type Units, type Usage, type UsageTurn, zeroUsage } from '../../canonical/usage.ts';
import { assert } from '../../platform/assert.ts';
import { greaterOf, lesserOf, type NanoUsd, priceUnits, roundCharge } from '../../platform/money.ts';

export type PricingOptions = Readonly<{
  /** A whole number that the completion price is multiplied by, for families that bill thinking differently. */
  completionMultiplier?: number;
  requestCount?: number;
  /** Prices of another model of the same provider, by the provider's name for it; undefined where none are stated. */
  pricesOf?: (upstreamModel: string) => PriceSchedule | undefined;
}>;

export type Price = Readonly<{
  /** The cost as if nothing had come from a cache. */
  subtotalNanoUsd: NanoUsd;
  /** `subtotal - cost`; below zero when writing the cache cost more than reading it saved. */
  cacheDiscountNanoUsd: NanoUsd;
  costNanoUsd: NanoUsd;
  /** The list that was applied, multiplier included, to be kept with the charge. */
  list: PriceList;
}>;

const multipliedLists = new WeakMap<PriceList, Map<number, PriceList>>();

/** One object for each list and multiplier, so that the snapshot of a list is made once and not for every call. */
function withCompletionMultiplier(list: PriceList, multiplier: number): PriceList {
  assert(Number.isSafeInteger(multiplier) && multiplier >= 1, 'a price multiplier is a positive whole number');
  if (multiplier === 1) return list;
  const known = multipliedLists.get(list) ?? new Map<number, PriceList>();
  const found = known.get(multiplier);
  if (found !== undefined) return found;
  const completion = list.completion * BigInt(multiplier);
  const multiplied = keepExtras({ ...list, completion }, list, `${MULTIPLIER_NOTE}${multiplier}`);
  known.set(multiplier, multiplied);
  multipliedLists.set(list, known);
  return multiplied;
}

const searchLists = new WeakMap<PriceList, PriceList>();

/**
 * Adds the default price of a web search to a list without one, so that the list kept with a charge says what was
 * charged.
 */
function withSearchPrice(list: PriceList): PriceList {
  if (list.webSearch !== null) return list;
  const stated = searchLists.get(list) ?? keepExtras({ ...list, webSearch: WEB_SEARCH_LIST_PRICE }, list);
  searchLists.set(list, stated);
  return stated;
}

export function priceUsage(usage: Usage, schedule: PriceSchedule, options: PricingOptions = {}): Price {
  const selected = selectPriceList(schedule, usage.promptTokens);
  if (selected !== schedule.base) noteTierOf(schedule, selected);
  const multiplied = withCompletionMultiplier(selected, options.completionMultiplier ?? 1);
  const list = usage.units?.webSearches === undefined ? multiplied : withSearchPrice(multiplied);
  // Failed-request protection: an answer without usage is free, its flat price included.
  if (isZeroUsage(usage)) return { subtotalNanoUsd: 0n, cacheDiscountNanoUsd: 0n, costNanoUsd: 0n, list };

  // A cost that the upstream states is used only where the caller pays for this upstream.
  if (usage.statedCostNanoUsd !== undefined && schedule !== NO_PRICES) {
    const costNanoUsd = sellStated(usage.statedCostNanoUsd, schedule, options.requestCount ?? 1);
    return { subtotalNanoUsd: costNanoUsd, cacheDiscountNanoUsd: 0n, costNanoUsd, list };
  }

  const fixed = priceUnits(options.requestCount ?? 1, list.request ?? 0n) + priceOtherUnits(usage.units, list);
  const tokens = usage.turns === undefined ? priceTokens(usage, list) : priceTurns(usage.turns, schedule, options);
  const subtotalNanoUsd = roundCharge(fixed + tokens.subtotal);
  const costNanoUsd = roundCharge(fixed + tokens.cost);
  return { subtotalNanoUsd, cacheDiscountNanoUsd: subtotalNanoUsd - costNanoUsd, costNanoUsd, list };
}

/**
 * A cost that is stated as a whole gets the markup in percent and the markup for each call; those for other units
 * cannot be applied.
 */
function sellStated(statedNanoUsd: NanoUsd, { sold }: PriceSchedule, requestCount: number): NanoUsd {
  if (sold === undefined) return statedNanoUsd;
  const { millionths, added } = sold.markup;
  return roundCharge(statedNanoUsd * (1_000_000n + millionths) + priceUnits(requestCount, added.request ?? 0n));
}

/** The operator's share of a price: the difference to the same usage at the prices that the operator pays. */
export function markupOf(price: Price, usage: Usage, schedule: PriceSchedule, options: PricingOptions): NanoUsd {
  // Another model may have taken a turn, at a markup of its own.
  if (schedule.sold === undefined && usage.turns === undefined) return 0n;
  const { pricesOf } = options;
  const costOf = (upstreamModel: string): PriceSchedule | undefined => {
    const sold = pricesOf?.(upstreamModel);
    return sold?.sold?.cost ?? sold;
  };
  const { costNanoUsd } = priceUsage(usage, schedule.sold?.cost ?? schedule, { ...options, pricesOf: costOf });
  return greaterOf(price.costNanoUsd - costNanoUsd, 0n);
}

function noteTierOf({ tiers }: PriceSchedule, selected: PriceList): void {
  const tier = tiers.find(({ list }) => list === selected);
  if (tier !== undefined) noteTier(selected, tier.abovePromptTokens);
}

/** Before the one rounding. */
type Scaled = Readonly<{ subtotal: bigint; cost: bigint }>;

/**
 * Each turn has a prompt of its own, so it selects its own price list. A model that took the called model's place is
 * charged at the called model's price where its own is not known; advice at an unknown price is not charged, and the
 * meter reports it.
 */
function priceTurns(turns: readonly UsageTurn[], schedule: PriceSchedule, options: PricingOptions): Scaled {
  let subtotal = 0n;
  let cost = 0n;
  for (const turn of turns) {
    const other = turn.kind === 'own' ? undefined : options.pricesOf?.(turn.upstreamModel);
    if (turn.kind === 'advice' && other === undefined) continue;
    const selected = selectPriceList(other ?? schedule, turn.usage.promptTokens);
    const multiplier = other === undefined ? (options.completionMultiplier ?? 1) : 1;
    const priced = priceTokens(turn.usage, withCompletionMultiplier(selected, multiplier));
    subtotal += priced.subtotal;
    cost += priced.cost;
  }
  return { subtotal, cost };
}

function priceTokens(usage: Usage, list: PriceList): Scaled {
  // An upstream that claims more cached tokens than prompt tokens must not drive the rest below zero.
  const cached = Math.min(usage.cachedTokens, usage.promptTokens);
  const written = Math.min(usage.cacheWriteTokens, usage.promptTokens);
  // Tokens that were both read from and written to the cache are in the prompt once.
  const both = cached + written > usage.promptTokens ? Math.min(cached, written) : 0;
  const plain = usage.promptTokens - cached - written + both;
  const writtenForAnHour = Math.min(usage.units?.cacheWriteHourTokens ?? 0, written);
  const cacheWrite = list.cacheWrite ?? list.prompt;
  const completion = priceUnits(usage.completionTokens, list.completion);
  // A write price above the prompt price includes the prompt price, which those tokens have already paid as read; a
  // lower one is for storing alone.
  const paidTwice = cacheWrite >= list.prompt ? priceUnits(both, list.prompt) : 0n;
  return {
    subtotal: completion + priceUnits(usage.promptTokens, list.prompt),
    cost:
      completion +
      priceUnits(plain, list.prompt) +
      priceUnits(cached, list.cacheRead ?? list.prompt) +
      priceUnits(written - writtenForAnHour, cacheWrite) +
      priceUnits(writtenForAnHour, list.cacheWriteHour ?? cacheWrite) -
      paidTwice,
  };
}

const MS_PER_SECOND = 1_000n;

/**
 * Everything that is not counted in tokens. A price per second is applied to the millisecond: what division cuts off
 * here is less than a millionth of a nano-USD, which a floor at the end of the charge would cut off as well.
 */
function priceOtherUnits(units: Units | undefined, list: PriceList): bigint {
  if (units === undefined) return 0n;
  return (
    // Speech may be priced per million characters, in the place where text has its price per million tokens.
    priceUnits(units.characters ?? 0, list.character ?? list.prompt) +
    priceUnits(units.images ?? 0, list.image ?? 0n) +
    priceUnits(units.searches ?? 0, list.search ?? 0n) +
    priceUnits(units.webSearches ?? 0, list.webSearch ?? WEB_SEARCH_LIST_PRICE) +
    priceUnits(units.hostedTools ?? 0, list.hostedTool ?? 0n) +
    priceUnits(units.audioMs ?? 0, list.audioSecond ?? 0n) / MS_PER_SECOND +
    priceUnits(units.videoMs ?? 0, list.videoSecond ?? 0n) / MS_PER_SECOND
  );
}

/** 0.0002 USD a second, more than any list price for listening. */
const UNSTATED_AUDIO_SECOND: NanoUsd = 200_000n * 1_000_000n;

/** Where only the upstream knows what listening costs, this price is held. */
function withReservationPrices(list: PriceList): PriceList {
  const isStated = list.audioSecond !== null || list.prompt > 0n || list.completion > 0n || list.request !== null;
  return isStated ? list : { ...list, audioSecond: UNSTATED_AUDIO_SECOND };
}

/** What is known of a call before it is sent, its output aside. */
export type CallSize = Readonly<{
  promptTokens: number;
  choices: number;
  units?: Units;
  /** A cache is to keep the prompt, or parts of it. */
  cacheKept?: CacheKept;
}>;

/** What a call may cost, by its output: a line, scaled by a million. */
export type CostLine = Readonly<{
  start: bigint;
  /** For a token of output, of all choices together. */
  perToken: bigint;
}>;

/** What to reserve is on this line: the estimated prompt at the tier it selects, plus a bounded output. */
export function costLine(size: CallSize, schedule: PriceSchedule, options: PricingOptions = {}): CostLine {
  const selected = selectPriceList(schedule, size.promptTokens);
  const list = withCompletionMultiplier(selected, options.completionMultiplier ?? 1);
  const perCall = list.request === null ? 0n : priceUnits(options.requestCount ?? 1, list.request);
  const other = priceOtherUnits(size.units, withReservationPrices(list));
  const perToken = size.choices === 1 ? list.completion : list.completion * BigInt(size.choices);
  const prompt = priceUnits(size.promptTokens, dearestPrompt(list, size.cacheKept));
  return { start: prompt + perCall + other, perToken };
}

/** Nobody knows before how much of a prompt a cache has already. */
function dearestPrompt({ prompt, cacheWrite, cacheWriteHour }: PriceList, kept: CacheKept | undefined): NanoUsd {
  if (kept === undefined) return prompt;
  const written = greaterOf(prompt, cacheWrite ?? prompt);
  return kept === 'hour' ? greaterOf(written, cacheWriteHour ?? written) : written;
}

/** Rounded up. `outputTokens` are those of one choice. */
export const costAt = ({ start, perToken }: CostLine, outputTokens: number): NanoUsd =>
  (start + priceUnits(outputTokens, perToken) + 999_999n) / 1_000_000n;

/** The inverse: how many tokens of output, for each choice, an amount pays for besides everything else. */
export function affordableOutput(amountNanoUsd: NanoUsd, line: CostLine): number {
  if (line.perToken === 0n) return Number.MAX_SAFE_INTEGER;
  const left = amountNanoUsd * 1_000_000n - line.start;
  if (left <= 0n) return 0;
  const tokens = left / line.perToken;
  return tokens > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(tokens);
}

// A price list as it is kept with charges: its JSON text and an id derived from that text. Equal lists have equal ids
// in every process, so each is stored once and an entry carries only the id.

export type PriceSnapshot = Readonly<{ id: string; text: string }>;

const snapshots = new WeakMap<PriceList, PriceSnapshot>();

function makeSnapshot(list: PriceList): PriceSnapshot {
  const prices = Object.entries(list)
    .filter(([, price]) => price !== null)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, price]) => [name, String(price)]);
  const extras = extrasOfList(list);
  const named = extras.length === 0 ? prices : [['extras', extras.join(' ')], ...prices];
  const text = JSON.stringify(Object.fromEntries(named));
  return { id: createHash('sha256').update(text).digest('hex').slice(0, 32), text };
}

/** Made once for each list object: the catalog's lists live as long as the catalog, and calls share them. */
export function priceSnapshot(list: PriceList): PriceSnapshot {
  const known = snapshots.get(list);
  if (known !== undefined) return known;
  const made = makeSnapshot(list);
  snapshots.set(list, made);
  return made;
}

// Estimates what a call that nobody pays for has cost us: the upstream's own figures where it gave any, else what was
// delivered and what the elapsed time allows for. The estimate decides which users are refused, so it is never zero for
// hidden work and never more than was held.

export type UnpaidCall = Readonly<{
  promptTokens: number;
  /** Tokens of content, reasoning and tool arguments that were delivered, by our count. */
  deliveredTokens: number;
  /**
   * The upstream may work without showing it: an answer that is not streamed and was not waited for, or hidden
   * reasoning.
   */
  isHidden: boolean;
  /** What calls of the model usually write or think unseen; null where that is not known. */
  usualTokens: number | null;
  /** Since the call was sent. */
  elapsedMs: number;
  /** As measured recently; null where it was not measured. */
  tokensPerSecond: number | null;
  /** The most that the caller or the model allows, all choices together; null for no limit. */
  outputTokensMax: number | null;
  /** Units other than tokens that may have been used: pictures, searches. */
  units: Units;
  /** What the upstream has reported so far; null where it has reported nothing. */
  reported: Usage | null;
  prices: PriceSchedule;
  completionMultiplier: number;
  heldNanoUsd: NanoUsd;
}>;

/** Faster than most models, so that hidden work is not underestimated. */
const TOKENS_PER_SECOND = 100;

/** For a model that nothing is known about. Upstreams seldom notice at once that the caller has left. */
const HIDDEN_TOKENS = 1_024;

export function unpaidCost(call: UnpaidCall): NanoUsd {
  const { reported, prices, completionMultiplier, heldNanoUsd } = call;
  const completionTokens = Math.max(outputTokens(call), reported?.completionTokens ?? 0);
  const known =
    reported === null || isZeroUsage(reported) ? { ...zeroUsage, promptTokens: call.promptTokens } : reported;
  const usage: Usage = { ...known, completionTokens, units: { ...call.units, ...known.units } };
  const { costNanoUsd } = priceUsage(usage, prices, { completionMultiplier });
  return lesserOf(costNanoUsd, heldNanoUsd);
}

function outputTokens(call: UnpaidCall): number {
  const { deliveredTokens, isHidden, usualTokens, elapsedMs, tokensPerSecond } = call;
  const most = call.outputTokensMax ?? Number.MAX_SAFE_INTEGER;
  if (!isHidden) return Math.min(deliveredTokens, most);
  const worked = Math.ceil((elapsedMs / 1000) * Math.max(1, tokensPerSecond ?? TOKENS_PER_SECOND));
  return Math.min(Math.max(deliveredTokens, worked, usualTokens ?? HIDDEN_TOKENS), most);
}
