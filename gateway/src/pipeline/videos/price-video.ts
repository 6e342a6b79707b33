// What a second of video costs: the stated price, times what the catalog says of the resolution and of sound.

import type { Candidate } from '../../canonical/model.ts';
import { NO_PRICES, type PriceList } from '../../canonical/price.ts';
import { zeroUsage } from '../../canonical/usage.ts';
import type { VideoRequest } from '../../canonical/video.ts';
import type { VideoJob } from '../../canonical/video-job.ts';
import { ApiError } from '../../errors/api-error.ts';
import { costAt, costLine, type Price, priceUsage } from '../../modules/ledger/price-usage.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { videoOptions } from './fit-video.ts';

const ONE = 1_000_000n;

type Rates = Pick<VideoJob, 'secondPrice' | 'requestPrice'>;
type VideoPrice = Rates & Pick<VideoJob, 'secondCost' | 'requestCost'>;

export function priceOf({ model, prices, own }: Candidate, request: VideoRequest): VideoPrice {
  const { videoSecond, request: flat } = prices.base;
  if (own !== undefined) return { secondPrice: 0n, requestPrice: 0n, secondCost: null, requestCost: null };
  if (videoSecond === null && flat === null) {
    throw new ApiError(
      'model_not_priced',
      `${model.id} has no price for video and cannot be called. Ask the operator of this gateway to set one.`,
    );
  }
  const { resolutionMillionths, audioMillionths } = videoOptions(model);
  const ofResolution = request.resolution === null ? ONE : multiplierOf(request.resolution, resolutionMillionths);
  const ofSound = request.hasAudio === true ? (audioMillionths ?? ONE) : ONE;
  const perSecond = (price: NanoUsd | null): NanoUsd =>
    ((price ?? 0n) * ofResolution * ofSound + (ONE * ONE) / 2n) / (ONE * ONE);
  const cost = prices.sold?.cost.base;
  return {
    secondPrice: perSecond(videoSecond),
    requestPrice: flat ?? 0n,
    secondCost: cost === undefined ? null : perSecond(cost.videoSecond),
    requestCost: cost === undefined ? null : (cost.request ?? 0n),
  };
}

/** A resolution that the catalog does not name costs what the dearest of those costs that have no more lines. */
function multiplierOf(resolution: string, multipliers: ReadonlyMap<string, bigint>): bigint {
  const wished = resolution.toLowerCase();
  let dearest = ONE;
  for (const [name, millionths] of multipliers) {
    if (name.toLowerCase() === wished) return millionths;
    if (linesOf(name) <= linesOf(wished) && millionths > dearest) dearest = millionths;
  }
  return dearest;
}

const LINES = /^(\d+)p$/i;
const THOUSANDS = /^(\d+)k$/i;
const LINES_PER_THOUSAND = 540;

/** More than any where the name does not say. */
function linesOf(resolution: string): number {
  const lines = LINES.exec(resolution)?.[1];
  const thousands = THOUSANDS.exec(resolution)?.[1];
  if (lines !== undefined) return Number(lines);
  return thousands === undefined ? Number.POSITIVE_INFINITY : Number(thousands) * LINES_PER_THOUSAND;
}

function listOf({ secondPrice, requestPrice }: Rates): PriceList {
  return { ...NO_PRICES.base, videoSecond: secondPrice, request: requestPrice };
}

/** The amount to hold: the price of everything that was ordered. */
export function worstCost(price: VideoPrice, request: VideoRequest): NanoUsd {
  const size = { promptTokens: 0, choices: 1, units: request.unitsMax };
  return costAt(costLine(size, { base: listOf(price), tiers: [] }), 0);
}

/**
 * The cost of the video that was made, at the price of the day it was ordered. A video that is longer than ordered is
 * charged up to half more than was held; a length beyond that is a provider's mistake, which the operator is told.
 */
export function finalCost(job: VideoJob): Readonly<{
  price: Price;
  costNanoUsd: NanoUsd;
  implausibleNanoUsd: NanoUsd;
  markupNanoUsd: NanoUsd;
  videoMs: number;
}> {
  const videoMs = job.durationMs + job.inputMs;
  const usage = { ...zeroUsage, units: { videoMs } };
  const price = priceUsage(usage, { base: listOf(job), tiers: [] });
  const { secondPrice, requestPrice, secondCost, requestCost } = job;
  const rates = { secondPrice: secondCost ?? secondPrice, requestPrice: requestCost ?? requestPrice };
  const { costNanoUsd: paidNanoUsd } = priceUsage(usage, { base: listOf(rates), tiers: [] });
  const costMaxNanoUsd = job.heldNanoUsd + job.heldNanoUsd / 2n;
  const isTooMuch = price.costNanoUsd > costMaxNanoUsd;
  const costNanoUsd = isTooMuch ? costMaxNanoUsd : price.costNanoUsd;
  const implausibleNanoUsd = price.costNanoUsd - costNanoUsd;
  return { price, costNanoUsd, implausibleNanoUsd, markupNanoUsd: price.costNanoUsd - paidNanoUsd, videoMs };
}
