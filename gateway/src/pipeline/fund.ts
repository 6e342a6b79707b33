// Who pays: a free model's quota while it lasts, else the caller. A call that a quota carries needs money only for the
// paid models that it may fall back to; a call beyond its quota goes on at the paid price if the caller can and wants
// to pay.

import type { Candidate, Model } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import type { SpendCap } from '../canonical/spend-cap.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Catalog } from '../modules/catalog/catalog.ts';
import { type FreeQuota, type FreeRefusal, freeSubject } from '../modules/free-tier/free-quota.ts';
import type { Ledger, Reservation } from '../modules/ledger/ledger.ts';
import { costAt } from '../modules/ledger/price-usage.ts';
import { assert } from '../platform/assert.ts';
import type { NanoUsd } from '../platform/money.ts';
import type { Call } from './call.ts';
import { callNetwork, type NetworkServices } from './call-network.ts';
import { FreePass, type FreeTerms, freeUnits, mayCostNothing } from './money/free-pass.ts';
import { costLineOf, costOf, outputTerms, refuseUnholdable } from './money/output-terms.ts';
import type { Selection } from './route.ts';

export type Funding = Readonly<{
  reservation: Reservation;
  /** Without the candidates that neither a quota nor the caller pays for. */
  selection: Selection;
  /** Null where no model of the call has a quota. */
  pass: FreePass | null;
}>;

export type FundServices = NetworkServices &
  Readonly<{ ledger: Ledger; freeQuota: FreeQuota; catalog: Pick<Catalog, 'current'> }>;

type FundInput = Readonly<{
  exchange: Exchange;
  call: Call;
  selection: Selection;
  caps: readonly SpendCap[];
}>;

/** Specification, Limits: an account with credit has three times the daily quota. */
const FUNDED_MULTIPLIER = 3;
const FALLBACK_HEADER = 'x-free-fallback';
/** Clients wait this long by themselves; for a longer wait they are told not to retry. */
const RETRY_SECONDS_MAX = 60;

export function fund(input: FundInput, services: FundServices): Funding | Promise<Funding> {
  return input.exchange.resumed === undefined ? fundNew(input, services) : fundAgain(input, services);
}

/**
 * For a call that may have been charged already: a line of a batch, or a repeated call, whose process died between its
 * charge and its answer. A call that was charged is answered, even where no money is left for another.
 */
async function fundAgain(input: FundInput, services: FundServices): Promise<Funding> {
  try {
    return await fundNew(input, services);
  } catch (error) {
    const { call, selection } = input;
    const isShort = error instanceof ApiError && (error.status === 402 || error.status === 429);
    if (!isShort || !(await services.ledger.isCharged(call.generationId))) throw error;
    const reservation = await services.ledger.reserve(call.caller.accountId, call.generationId, 0n);
    return { reservation, selection, pass: null };
  }
}

function fundNew(input: FundInput, services: FundServices): Funding | Promise<Funding> {
  const { call, selection, caps } = input;
  if (selection.candidates.some(({ freeQuota }) => freeQuota !== null)) return fundFree(input, services);
  try {
    const reservation = reserve(services.ledger, call, selection.candidates, caps);
    if (!(reservation instanceof Promise)) return { reservation, selection, pass: null };
    return reservation.then(
      (held) => ({ reservation: held, selection, pass: null }),
      (error: unknown) => fundCheaper(error, input, services),
    );
  } catch (error) {
    return fundCheaper(error, input, services);
  }
}

/** Where the money does not reach for the dearest candidate, the call only loses those that are dearer than it needs. */
async function fundCheaper(error: unknown, { call, selection, caps }: FundInput, services: FundServices) {
  const candidates = isAboutMoney(error) ? cheaperOf(selection.candidates, call.request) : selection.candidates;
  if (candidates.length === selection.candidates.length) throw error;
  const reservation = await reserve(services.ledger, call, candidates, caps);
  const isFirstKept = candidates[0] === selection.candidates[0];
  const firstChoice = isFirstKept ? selection.firstChoice : firstChoiceOf(selection, candidates);
  return { reservation, selection: { ...selection, candidates, firstChoice }, pass: null };
}

/** Those that need no more money than the cheapest route of the model that comes first. That model is always among them. */
function cheaperOf(candidates: Selection['candidates'], request: CanonicalRequest): Selection['candidates'] {
  const needs = candidates.map((candidate) => costOf(request, candidate, outputTerms(request, candidate).least));
  const ofFirst = needs.filter((_, index) => candidates[index]?.model === candidates[0]?.model);
  return candidates.filter((_, index) => ofFirst.every((least) => (needs[index] ?? 0n) <= least));
}

/**
 * Holds what a call may cost before it is sent. With several candidates the dearest one decides, so that failover never
 * needs a second decision. A free call holds nothing, so only a breaker that has tripped can refuse it.
 */
export function reserve(
  ledger: Ledger,
  call: Call,
  candidates: readonly Candidate[],
  caps: readonly SpendCap[],
): Reservation | Promise<Reservation> {
  const { caller, generationId, request } = call;
  refuseUnholdable(request);
  let mostNanoUsd: NanoUsd = 0n;
  let elseNanoUsd: NanoUsd = 0n;
  let leastNanoUsd: NanoUsd = 0n;
  for (const candidate of candidates) {
    const { most, otherwise, least } = outputTerms(request, candidate);
    const line = costLineOf(request, candidate);
    const cost = costAt(line, most);
    const costElse = otherwise === most ? cost : costAt(line, otherwise);
    const costLeast = least === most ? cost : costAt(line, least);
    if (cost > mostNanoUsd) mostNanoUsd = cost;
    if (costElse > elseNanoUsd) elseNanoUsd = costElse;
    if (costLeast > leastNanoUsd) leastNanoUsd = costLeast;
  }
  const { accountId } = caller;
  if (leastNanoUsd === mostNanoUsd) return ledger.reserve(accountId, generationId, mostNanoUsd, caps);
  return ledger.reserveWithin(accountId, generationId, { mostNanoUsd, elseNanoUsd, leastNanoUsd }, caps);
}

async function fundFree(input: FundInput, services: FundServices): Promise<Funding> {
  const { selection } = input;
  const [first] = selection.candidates;
  assert(first !== undefined, 'a selection has at least one candidate');
  const terms = await termsOf(input, services);
  const pass = new FreePass(services.freeQuota, terms);
  const refusal = await pass.enter(selection.candidates);
  const isFinal = !terms.mayContinue || (refusal?.by === 'address' && terms.takesAny);
  if (refusal !== null && isFinal) throw quotaError(refusal, first.model);
  try {
    return await reserveBeside(pass, input, services);
  } catch (error) {
    pass.end(null);
    // A caller who cannot pay is told when the free quota begins anew.
    throw refusal !== null && isWithoutMoney(error) ? quotaError(refusal, first.model) : error;
  }
}

/**
 * Reserves money for the paid models that a free call may fall back to; where that fails, only the free ones are tried.
 */
async function reserveBeside(
  pass: FreePass,
  { call, selection, caps }: FundInput,
  { ledger }: FundServices,
): Promise<Funding> {
  const candidates = pass.inOrder(selection.candidates);
  const ordered = { ...selection, candidates, firstChoice: firstChoiceOf(selection, candidates) };
  const payable = pass.payable(candidates);
  if (!pass.hasGrant || payable.length > 0) {
    try {
      const reservation = await reserve(ledger, call, payable, caps);
      pass.reservePaid();
      return { reservation, selection: ordered, pass };
    } catch (error) {
      // A free model needs no money: without it the call only loses its paid fallbacks.
      if (!pass.hasGrant || !isAboutMoney(error)) throw error;
    }
  }
  const free = candidates.filter(mayCostNothing);
  return { reservation: await reserve(ledger, call, [], caps), selection: { ...ordered, candidates: free }, pass };
}

/** A model that was passed over for lack of quota does not count as failed. */
function firstChoiceOf(selection: Selection, candidates: Selection['candidates']): Selection['firstChoice'] {
  return candidates === selection.candidates ? selection.firstChoice : (candidates[0]?.offered ?? null);
}

async function termsOf({ exchange, call, selection }: FundInput, services: FundServices): Promise<FreeTerms> {
  const { caller, request, auto } = call;
  const isAutoFree = auto?.table === 'free';
  const spendableNanoUsd = await services.ledger.spendable(caller.accountId);
  return {
    subject: freeSubject(caller.accountId, caller.userId),
    units: await freeUnits(request, selection.candidates),
    multiplier: spendableNanoUsd > 0n ? FUNDED_MULTIPLIER : 1,
    addressOf: addressLimits(exchange, services, isAutoFree),
    outputTokensMax: services.catalog.current().free.outputTokensMax,
    takesAny: isAutoFree,
    mayContinue: caller.hasFreeFallback && !isOptedOut(exchange),
  };
}

function addressLimits(exchange: Exchange, services: FundServices, isAutoFree: boolean): FreeTerms['addressOf'] {
  const network = callNetwork(exchange, services);
  const { autoFreePerAddress, free } = services.catalog.current();
  if (isAutoFree) return () => ({ name: network, ...autoFreePerAddress });
  // Each model is counted separately, as it is for a user: a network may have as much as its set number of users may.
  return ({ model, freeQuota }) => {
    const { requestsPerMinute, requestsPerDay } = freeQuota ?? { requestsPerMinute: 0, requestsPerDay: 0 };
    return {
      name: `${network} ${model.id}`,
      requestsPerMinute: requestsPerMinute * free.usersPerNetwork,
      unitsPerDay: requestsPerDay * free.usersPerNetwork,
    };
  };
}

function isOptedOut({ request }: Exchange): boolean {
  const value = request.headers[FALLBACK_HEADER];
  return typeof value === 'string' && value.trim().toLowerCase() === 'false';
}

const isAboutMoney = (error: unknown): boolean => error instanceof ApiError && error.status === 402;

/** The account itself is empty. A cap that is used up has another remedy, so its error is shown as it is. */
const isWithoutMoney = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'insufficient_credits' || error.code === 'credit_limit_exceeded');

function quotaError({ by, window, retryAfterSeconds }: FreeRefusal, model: Model): ApiError {
  const period = window === 'daily' ? 'today' : 'this minute';
  const message =
    by === 'address'
      ? `The free requests from your address are used up for ${period}.`
      : `Your free quota of ${model.id} is used up for ${period}. With credit and paid fallback, calls go on at the paid price.`;
  return new ApiError('http_429', message, { retryAfterSeconds, isTerminal: retryAfterSeconds > RETRY_SECONDS_MAX });
}
