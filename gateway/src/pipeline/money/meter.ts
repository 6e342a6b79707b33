// Turns what the upstream says it used into what the caller pays. The upstream is a stranger: a count that nothing in
// the call explains is charged up to what was held, and the rest is shown to the operator; a count that is no count at
// all means no usage, hence no charge.

import { withExtras } from '../../canonical/extras.ts';
import type { Candidate } from '../../canonical/model.ts';
import { type CanonicalRequest, DOCUMENTS_PER_SEARCH, type RerankRequest } from '../../canonical/operation.ts';
import { NO_PRICES, type PriceSchedule } from '../../canonical/price.ts';
import { isZeroUsage, NO_UNITS, type Units, type Usage } from '../../canonical/usage.ts';
import { markupOf, type Price, type PricingOptions, priceUsage } from '../../modules/ledger/price-usage.ts';
import { greaterOf, lesserOf, type NanoUsd } from '../../platform/money.ts';
import { mayUseAny, withOfferedUses } from './hosted-tools.ts';
import { withHourWrites } from './hour-writes.ts';
import { completionMultiplier, outputTokensMaxOf } from './output-terms.ts';

/** Why the operator has to look at a charge: nothing explains the usage, or a model without a price took a turn. */
type DoubtReason = 'implausible' | 'unpriced_turn';

export const isDoubt = (reason: string): boolean => reason === 'implausible' || reason === 'unpriced_turn';

export type Metered = Readonly<{
  usage: Usage;
  price: Price;
  /** The operator's share of the cost, and of what is left uncharged. */
  markupNanoUsd: NanoUsd;
  /** What is left uncharged for a reason that is not the caller's; null for nearly all calls. */
  doubt: Readonly<{ reason: DoubtReason; nanoUsd: NanoUsd }> | null;
}>;

/**
 * An upstream that states the cost knows its prices better than the estimate behind the reservation, which may be off
 * by this factor; where it is far too low, or there is no price at all, the cost may be twice that of the dearest
 * services, and that of a minute, which some bill at least.
 */
const STATED_COST_FACTOR = 10n;
const STATED_MINUTE_COST_MAX: NanoUsd = 100_000_000n;
const MS_PER_MINUTE = 60_000;

/** Doubtful amounts come from a stranger and are added up in reports, so each is noted up to 1,000 USD only. */
const DOUBT_NANO_USD_MAX: NanoUsd = 1_000_000_000_000n;

type MeteredCall = Readonly<{ request: CanonicalRequest; candidate: Candidate; reservedNanoUsd: NanoUsd }>;

/** Null: nothing billable was reported, so the whole reservation goes back (failed-request protection). */
export function meter(reported: Usage | null, call: MeteredCall): Metered | null {
  if (reported === null || isZeroUsage(reported)) return null;
  const { request, candidate, reservedNanoUsd } = call;
  const used = withHourWrites(withOfferedUses(reported, request, candidate), request, candidate);
  const usage = withPricedUnits(used, request, candidate);
  const pricesOf = otherPrices(candidate);
  const options = { completionMultiplier: completionMultiplier(request, candidate), pricesOf };
  const { price, markupNanoUsd } = dearest(usage, candidate.prices, options);
  const unpriced = unpricedTurns(usage, candidate, pricesOf);
  const overNanoUsd = price.costNanoUsd - reservedNanoUsd;
  if (overNanoUsd <= 0n || isPlausible(reported, call)) return { usage, price, markupNanoUsd, doubt: unpriced };
  const capped = { subtotalNanoUsd: reservedNanoUsd, costNanoUsd: reservedNanoUsd, cacheDiscountNanoUsd: 0n };
  const doubted = doubt('implausible', overNanoUsd);
  // Less may be noted than was claimed; the operator's share is reduced in proportion.
  const keptNanoUsd = (markupNanoUsd * (reservedNanoUsd + doubted.nanoUsd)) / price.costNanoUsd;
  return { usage, price: { ...price, ...capped }, markupNanoUsd: keptNanoUsd, doubt: doubted };
}

/** Priced by what was sent; or by what the answer says was used, where that has a price and costs more. */
function dearest(
  usage: Usage,
  prices: PriceSchedule,
  options: PricingOptions,
): Pick<Metered, 'price' | 'markupNanoUsd'> {
  const of = (price: Price, schedule: PriceSchedule) => ({
    price,
    markupNanoUsd: markupOf(price, usage, schedule, options),
  });
  const asked = priceUsage(usage, prices, options);
  const stated = usage.extras === undefined ? prices : withExtras(prices, usage.extras);
  if (stated === prices) return of(asked, prices);
  const used = priceUsage(usage, stated, options);
  return used.costNanoUsd > asked.costNanoUsd ? of(used, stated) : of(asked, prices);
}

function doubt(reason: DoubtReason, nanoUsd: NanoUsd): NonNullable<Metered['doubt']> {
  return { reason, nanoUsd: lesserOf(nanoUsd, DOUBT_NANO_USD_MAX) };
}

type PricesOf = (upstreamModel: string) => PriceSchedule | undefined;

/** A call that costs the caller nothing costs nothing in all its turns. */
function otherPrices({ prices, provider }: Candidate): PricesOf {
  if (prices === NO_PRICES) return () => NO_PRICES;
  return (upstreamModel) => provider.pricesByModel?.get(upstreamModel);
}

/** Turns of a model without a price are noted at the called model's price, for lack of a better one. */
function unpricedTurns({ turns }: Usage, { prices }: Candidate, pricesOf: PricesOf): Metered['doubt'] {
  if (turns === undefined) return null;
  let nanoUsd = 0n;
  let isDoubtful = false;
  for (const turn of turns) {
    if (turn.kind === 'own' || pricesOf(turn.upstreamModel) !== undefined) continue;
    isDoubtful = true;
    if (turn.kind === 'advice') nanoUsd += priceUsage(turn.usage, prices).costNanoUsd;
  }
  return isDoubtful ? doubt('unpriced_turn', nanoUsd) : null;
}

function isPlausible(usage: Usage, { request, candidate, reservedNanoUsd }: MeteredCall): boolean {
  const { statedCostNanoUsd } = usage;
  if (statedCostNanoUsd === undefined) return isExplained(usage, request, candidate);
  const ofLength = BigInt(minutesBelieved(request)) * STATED_MINUTE_COST_MAX;
  return statedCostNanoUsd <= greaterOf(reservedNanoUsd * STATED_COST_FACTOR, ofLength);
}

/** Only transcriptions are charged by a stated cost. */
const minutesBelieved = (request: CanonicalRequest): number =>
  request.operation === 'transcription' ? Math.ceil(request.audioMsBelieved / MS_PER_MINUTE) : 0;

// Whether an upstream's counts can be explained by the call that was made. What the provider reads by itself (searches,
// fetches, tools, plugins) explains a prompt beyond our estimate, thinking explains output beyond the caller's limit,
// and each turn that is accounted for explains a prompt of its own.

const PROMPT_TOKENS_SLACK = 10_000;
const MEDIA_TOKENS_MAX = 1_000_000;
/** Of a model whose limits the catalog does not state. */
const CONTEXT_TOKENS_MAX = 1_000_000;
/** Beyond this many uses of tools a count is not believed. One search of posts may count as dozens. */
const USES_MAX = 1_000;
/** Each use makes the model read the conversation again. */
const READINGS_MAX = 100;
/** How many readings are assumed where tools are offered and the provider does not count them. */
const UNCOUNTED_READINGS = 10;
const TURNS_MAX = 100;

function isExplained(usage: Usage, request: CanonicalRequest, candidate: Candidate): boolean {
  const units = usage.units ?? NO_UNITS;
  return (
    usage.promptTokens <= promptTokensMax(usage, request, candidate) &&
    isOutputExplained(usage, request, candidate) &&
    areTurnsExplained(usage, candidate) &&
    usesOf(units) <= USES_MAX &&
    isWithin(units, unitsBelieved(request))
  );
}

function promptTokensMax(usage: Usage, request: CanonicalRequest, candidate: Candidate): number {
  const { needs } = request;
  const hasMedia = needs.imageInput || needs.fileInput || needs.audioInput || needs.videoInput;
  // The estimate is at least a third of a token per character, so twelve times it is four tokens per character.
  const sent = request.promptTokensEstimate * 12 + PROMPT_TOKENS_SLACK + (hasMedia ? MEDIA_TOKENS_MAX : 0);
  const readings = readingsOf(usage, request, candidate) + Math.min(usage.turns?.length ?? 0, TURNS_MAX);
  return sent + readings * contextTokensMax(candidate);
}

function readingsOf({ units }: Usage, request: CanonicalRequest, candidate: Candidate): number {
  const uses = Math.min(usesOf(units ?? NO_UNITS), READINGS_MAX);
  const isOffered = request.operation === 'chat' && mayUseAny(request, candidate);
  if (isOffered) return Math.max(uses + 1, UNCOUNTED_READINGS);
  // Some models search the web although no tool was offered.
  return uses === 0 ? 0 : uses + 1;
}

const usesOf = ({ webSearches, hostedTools }: Units): number => (webSearches ?? 0) + (hostedTools ?? 0);

/** Thinking may be counted beside the caller's limit; the model's context bounds it all the same. */
function isOutputExplained(usage: Usage, request: CanonicalRequest, candidate: Candidate): boolean {
  const { completionTokensMax } = candidate.model;
  const contextMax = contextTokensMax(candidate);
  const turns = Math.min(usage.turns?.length ?? 1, TURNS_MAX);
  const outputMax = outputTokensMaxOf(request, candidate.model) ?? completionTokensMax ?? contextMax;
  const answersMax = (outputMax * request.choiceCount * turns * 11) / 10 + 100;
  const thinking = Math.max(usage.reasoningTokens, usage.apartTokens ?? 0);
  return usage.completionTokens - thinking <= answersMax && thinking <= contextMax * request.choiceCount * turns;
}

/** Turns of other models are bounded like those of the called one. */
function areTurnsExplained({ turns }: Usage, candidate: Candidate): boolean {
  if (turns === undefined) return true;
  const contextMax = Math.max(contextTokensMax(candidate), CONTEXT_TOKENS_MAX);
  return turns.every(({ usage }) => usage.promptTokens <= contextMax && usage.completionTokens <= contextMax);
}

function contextTokensMax({ model }: Candidate): number {
  return Math.max(model.contextLength ?? CONTEXT_TOKENS_MAX, model.completionTokensMax ?? 0);
}

const unitsBelieved = (request: CanonicalRequest): Units =>
  request.operation === 'transcription' ? { audioMs: request.audioMsBelieved } : request.unitsMax;

/** Counts of units were known or bounded before the call was sent. */
function isWithin(units: Units, unitsMax: Units): boolean {
  return unitNames.every((name) => (units[name] ?? 0) <= (unitsMax[name] ?? 0));
}

const unitNames: readonly (keyof Units)[] = ['characters', 'audioMs', 'images', 'videoMs', 'searches'];

// Some operations are counted in one unit or another, as the upstream likes, and priced in one of them: transcriptions
// in tokens or seconds, rerank in tokens or searches, moderations in tokens or not at all. A count in the other unit is
// converted: without that the call would cost nothing, whatever its size.

/** Milliseconds of audio for a token that a model hears, and for a token that people say. */
const MS_PER_TOKEN_HEARD = 100;
const MS_PER_TOKEN_SAID = 250;

function withPricedUnits(usage: Usage, request: CanonicalRequest, candidate: Candidate): Usage {
  if (usage.statedCostNanoUsd !== undefined) return usage;
  if (request.operation === 'transcription') return ofListening(usage, candidate);
  if (request.operation === 'rerank') return ofRanking(usage, request, candidate);
  return request.operation === 'moderation' ? withTokens(usage, request, candidate) : usage;
}

function ofListening(usage: Usage, { prices }: Candidate): Usage {
  const { prompt, completion, audioSecond } = prices.base;
  const isPricedByToken = prompt > 0n || completion > 0n;
  const isPricedByTime = audioSecond !== null && audioSecond > 0n;
  if (isPricedByToken === isPricedByTime) return usage;
  const { promptTokens, completionTokens, units } = usage;
  const audioMs = units?.audioMs ?? 0;
  if (isPricedByTime && audioMs === 0) {
    const heardMs = promptTokens === 0 ? completionTokens * MS_PER_TOKEN_SAID : promptTokens * MS_PER_TOKEN_HEARD;
    return { ...usage, units: { ...units, audioMs: heardMs } };
  }
  if (isPricedByToken && promptTokens === 0 && completionTokens === 0) {
    return {
      ...usage,
      promptTokens: Math.ceil(audioMs / MS_PER_TOKEN_HEARD),
      completionTokens: Math.ceil(audioMs / MS_PER_TOKEN_SAID),
    };
  }
  return usage;
}

/**
 * Searches that the provider did not count are computed as if all documents were short; tokens are taken from the
 * estimate.
 */
function ofRanking(usage: Usage, request: RerankRequest, candidate: Candidate): Usage {
  const { search } = candidate.prices.base;
  const searches = usage.units?.searches ?? 0;
  if (search !== null && searches === 0) {
    return {
      ...usage,
      units: { ...usage.units, searches: Math.ceil(request.documents.length / DOCUMENTS_PER_SEARCH) },
    };
  }
  return withTokens(usage, request, candidate);
}

/** Uses the estimate where the upstream counts no tokens and tokens have a price. */
function withTokens(usage: Usage, { promptTokensEstimate }: CanonicalRequest, { prices }: Candidate): Usage {
  const isCounted = usage.promptTokens > 0 || prices.base.prompt === 0n;
  return isCounted ? usage : { ...usage, promptTokens: promptTokensEstimate };
}
