// Ends a line that a provider's batch has answered: charges its usage from what was held for it, at the price of the
// day it was handed over, and shows its answer like that of any call. Running it again changes nothing in the books.

import type { HandedReply } from '../../canonical/handed-line.ts';
import type { Candidate } from '../../canonical/model.ts';
import { type Usage, zeroUsage } from '../../canonical/usage.ts';
import type { Bill, Dialect } from '../../dialects/dialect.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange } from '../../http/exchange.ts';
import { assert } from '../../platform/assert.ts';
import { usdNumber } from '../../platform/money.ts';
import { failureToApiError } from '../../upstreams/failure.ts';
import type { Codec } from '../../upstreams/protocol.ts';
import { codecOf } from '../../upstreams/registry.ts';
import type { WholeAnswer } from '../attempts/attempt-parts.ts';
import { type Call, CallReviews, openCall } from '../call.ts';
import { pushSuccessHeaders, sendAnswer } from '../client.ts';
import { judge, reviewOf } from '../guard.ts';
import { ANSWERED, type Ending, NO_COST, recordOf } from '../money/call-money.ts';
import { meter } from '../money/meter.ts';
import { readSubmission } from '../read-submission.ts';
import type { InferenceServices } from '../services.ts';

const NOTHING_USED: Bill = { usage: zeroUsage, costUsd: 0 };

export async function endHanded(
  exchange: Exchange,
  reply: HandedReply,
  dialect: Dialect,
  services: InferenceServices,
): Promise<void> {
  const { caller } = exchange;
  assert(caller !== undefined, 'a line is run for the caller who made its batch');
  const request = dialect.read(await readSubmission(exchange, dialect.intake, caller, services.uploads));
  const candidate = candidateOf(reply, services);
  const codec = candidate === null ? undefined : codecOf(candidate, request);
  if (candidate === null || codec === undefined) {
    await services.ledger.releaseDurable(exchange.resumed?.generationId ?? '', 'the model is gone');
    throw new ApiError('http_404', 'The model of this line has been removed meanwhile. Nothing was charged.');
  }
  const reviews = new CallReviews();
  const review = await reviewOf(caller, request, services.outputReviewOf, reviews);
  const parts = { caller, request, dialect, resolution: { auto: null }, trace: null, quota: null, review, reviews };
  const call = openCall(exchange, parts, services);
  await end({ exchange, call, candidate, codec, reply }, services);
}

type Ended = Readonly<{ exchange: Exchange; call: Call; candidate: Candidate; codec: Codec; reply: HandedReply }>;

async function end({ exchange, call, candidate, codec, reply }: Ended, services: InferenceServices): Promise<void> {
  const { generationId, request } = call;
  const { status, body } = reply;
  const decoded = status === 200 ? codec.decode?.({ headers: {}, body }, request, candidate) : undefined;
  const failure = decoded?.kind === 'failure' ? decoded.failure : null;
  if (decoded?.kind !== 'answer') {
    const record = recordOf(call, endingOf(candidate, reply, null), zeroUsage, NO_COST);
    await services.ledger.releaseDurable(generationId, `refused with ${status}`, record);
    throw failureToApiError(failure ?? codec.decodeError(status, {}, body));
  }
  const judged = await judgedOf(call, decoded);
  const finishReason = judged instanceof ApiError ? 'content_filter' : decoded.finishReason;
  const bill = await charge({ call, ending: endingOf(candidate, reply, finishReason), reply }, decoded.usage, services);
  if (judged instanceof ApiError) throw judged;
  pushSuccessHeaders(exchange, call, candidate);
  await sendAnswer(exchange, { call, candidate, answer: judged, bill });
}

/** Null where the catalog does not hold the model or its provider any more. */
function candidateOf(reply: HandedReply, { catalog }: InferenceServices): Candidate | null {
  const { models, providers } = catalog.current();
  const model = models.find(({ id }) => id === reply.modelId);
  const provider = providers.get(reply.providerName);
  if (model === undefined || provider === undefined) return null;
  const { upstreamModel, prices } = reply;
  return { model, provider, upstreamModel, prices };
}

const endingOf = (candidate: Candidate, { status }: HandedReply, finishReason: string | null): Ending => ({
  ...{ candidate, upstreamStatus: status, finishReason, firstTokenMs: null },
  ...{ attempts: 1, attemptLog: null, isFailover: false },
});

const judgedOf = (call: Call, answer: WholeAnswer): Promise<WholeAnswer | ApiError> =>
  new Promise((resolve, reject) => judge(call, answer, resolve, reject));

type Charged = Readonly<{ call: Call; ending: Ending; reply: HandedReply }>;

async function charge(
  { call, ending, reply: { heldNanoUsd } }: Charged,
  usage: Usage | null,
  { ledger }: InferenceServices,
): Promise<Bill> {
  const { generationId, request } = call;
  const metered = meter(usage, { request, candidate: ending.candidate, reservedNanoUsd: heldNanoUsd });
  if (metered === null) {
    await ledger.releaseDurable(generationId, ANSWERED, recordOf(call, ending, zeroUsage, NO_COST));
    return NOTHING_USED;
  }
  const { price, markupNanoUsd, doubt } = metered;
  const { subtotalNanoUsd, cacheDiscountNanoUsd, costNanoUsd } = price;
  const absorbed = { absorbedNanoUsd: doubt?.nanoUsd ?? 0n, absorbedReason: doubt?.reason ?? null };
  const record = recordOf(call, ending, metered.usage, {
    ...{ subtotalNanoUsd, cacheDiscountNanoUsd, costNanoUsd, markupNanoUsd },
    ...absorbed,
  });
  // The price list of a charge of zero is not kept.
  const priceList = costNanoUsd === 0n ? undefined : price.list;
  const settlement = await ledger.settleDurable(generationId, record, { priceList, mayExceedReservation: true });
  return { usage: metered.usage, costUsd: usdNumber(settlement?.chargedNanoUsd ?? 0n) };
}
