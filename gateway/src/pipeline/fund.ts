// Who pays: a free model's quota, while there is any of it, else the caller. A call that a quota carries needs no
// money, but what it may fall back to does; a call beyond its quota goes on at the paid price if the caller can and
// will pay.

import type { AutoDecision } from '../canonical/generation.ts';
import type { FreeWindow, Model } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import { NO_PRICES } from '../canonical/price.ts';
import type { SpendCap } from '../canonical/spend-cap.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Catalog } from '../modules/catalog/catalog.ts';
import {
  type FreeGrant,
  type FreeQuota,
  type FreeRefusal,
  type FreeTake,
  freeSubject,
} from '../modules/free-tier/free-quota.ts';
import { networkOf } from '../modules/free-tier/network.ts';
import type { ClientAddress } from '../modules/identity/client-address.ts';
import type { Ledger } from '../modules/ledger/ledger.ts';
import { midpoint } from '../modules/tokens/count.ts';
import { assert } from '../platform/assert.ts';
import type { Funding } from './attempt-loop.ts';
import type { Call } from './call.ts';
import { measurePrompt, readTurns, roughTotal } from './fit-context.ts';
import { reserve } from './reserve.ts';
import type { RoutedCandidate, Selection } from './route.ts';

export type FundServices = Readonly<{
  ledger: Ledger;
  freeQuota: FreeQuota;
  catalog: Pick<Catalog, 'current'>;
  clientAddress: ClientAddress;
}>;

export type FundInput = Readonly<{
  exchange: Exchange;
  call: Call;
  selection: Selection;
  caps: readonly SpendCap[];
}>;

/** Specification, Limits: whoever has credit has three times the daily quota. */
const FUNDED_MULTIPLIER = 3;
const FALLBACK_HEADER = 'x-free-fallback';
/** Clients wait this long by themselves; beyond it an automatic retry is of no use. */
const RETRY_SECONDS_MAX = 60;

export function fund(input: FundInput, services: FundServices): Funding | Promise<Funding> {
  const { call, selection, caps } = input;
  if (selection.candidates.some(({ freeQuota }) => freeQuota !== null)) return fundFree(input, services);
  const reservation = reserve(services.ledger, call, selection.candidates, caps);
  if (reservation instanceof Promise) return reservation.then((held) => ({ reservation: held, selection, pass: null }));
  return { reservation, selection, pass: null };
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
    return await hold(pass, input, services);
  } catch (error) {
    pass.end(null);
    // Whoever cannot pay learns when there is something for nothing again.
    throw refusal !== null && isWithoutMoney(error) ? quotaError(refusal, first.model) : error;
  }
}

async function hold(pass: FreePass, { call, selection, caps }: FundInput, { ledger }: FundServices): Promise<Funding> {
  const candidates = pass.inOrder(selection.candidates);
  const ordered = { ...selection, candidates, firstChoice: firstChoiceOf(selection, candidates) };
  const payable = pass.payable(candidates);
  if (!pass.hasGrant || payable.length > 0) {
    try {
      const reservation = await reserve(ledger, call, payable, caps);
      pass.holdPaid();
      return { reservation, selection: ordered, pass };
    } catch (error) {
      // What is free needs no money: only what the call could have fallen back to is lost.
      if (!pass.hasGrant || !isAboutMoney(error)) throw error;
    }
  }
  const free = candidates.filter(mayCostNothing);
  return { reservation: await reserve(ledger, call, [], caps), selection: { ...ordered, candidates: free }, pass };
}

/** A model that was passed over for its quota has not failed. */
function firstChoiceOf(selection: Selection, candidates: Selection['candidates']): Selection['firstChoice'] {
  return candidates === selection.candidates ? selection.firstChoice : (candidates[0]?.offered ?? null);
}

async function termsOf({ exchange, call }: FundInput, services: FundServices): Promise<FreeTerms> {
  const { caller, request, auto } = call;
  const isAutoFree = isOfFreeTable(auto);
  const spendableNanoUsd = await services.ledger.spendable(caller.accountId);
  return {
    subject: freeSubject(caller.accountId, caller.userId),
    units: await freeUnits(request),
    multiplier: spendableNanoUsd > 0n ? FUNDED_MULTIPLIER : 1,
    addressOf: addressLimits(exchange, services, isAutoFree),
    outputTokensMax: services.catalog.current().free.outputTokensMax,
    takesAny: isAutoFree,
    mayContinue: caller.hasFreeFallback && !isOptedOut(exchange),
  };
}

const isOfFreeTable = (auto: AutoDecision | null): boolean => auto?.table === 'free';

/** Those of whom nothing is known count together. */
function addressLimits(
  { request }: Exchange,
  { catalog, clientAddress }: FundServices,
  isAutoFree: boolean,
): FreeTerms['addressOf'] {
  const address = clientAddress(request);
  const network = address === null ? 'unknown' : networkOf(address);
  const { autoFreePerAddress, free } = catalog.current();
  if (isAutoFree) return () => ({ name: network, ...autoFreePerAddress });
  // Each model is counted for itself, as it is for a user: a network may have what so many users of it may.
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

/** The account itself is empty; a cap on it has a remedy of its own, and is named. */
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

// What one call may have for nothing. Every free model has a quota of its own, so a call that moves on to another model
// takes of that one's then; whatever was taken for a model that did not answer goes back.

type FreeTerms = Readonly<{
  subject: string;
  units: number;
  /** Of the daily limit. */
  multiplier: number;
  /** What those who call from the same network may have together. */
  addressOf(candidate: RoutedCandidate): FreeTake['address'];
  /** No answer that is free is longer; for each choice. */
  outputTokensMax: number;
  /** Any of the models will do, as long as it is free: those that have nothing left are passed over. */
  takesAny: boolean;
  /** Beyond the quota the caller would rather pay than be refused. */
  mayContinue: boolean;
}>;

export class FreePass {
  readonly #quota: FreeQuota;
  readonly #terms: FreeTerms;
  readonly #grants = new Map<Model, FreeGrant>();
  readonly #exhausted = new Map<Model, FreeWindow>();
  #isPaidHeld = false;

  constructor(quota: FreeQuota, terms: FreeTerms) {
    this.#quota = quota;
    this.#terms = terms;
  }

  get hasGrant(): boolean {
    return this.#grants.size > 0;
  }

  /** Takes for the model that is tried first. Null where that was possible, and where it has no quota at all. */
  async enter(candidates: readonly RoutedCandidate[]): Promise<FreeRefusal | null> {
    const models = onePerModel(this.#terms.takesAny ? candidates : candidates.slice(0, 1));
    const decision = await this.#take(models);
    if (decision === null || decision.outcome === 'granted') return null;
    return decision;
  }

  /** In the order of trying: where any model will do, those that have nothing left come last. */
  inOrder(candidates: readonly RoutedCandidate[]): readonly RoutedCandidate[] {
    if (this.#exhausted.size === 0 || !this.hasGrant) return candidates;
    const isLast = ({ model }: RoutedCandidate): boolean => this.#exhausted.has(model);
    return [...candidates.filter((candidate) => !isLast(candidate)), ...candidates.filter(isLast)];
  }

  /** Those that the caller may come to pay for. */
  payable(candidates: readonly RoutedCandidate[]): readonly RoutedCandidate[] {
    const { mayContinue } = this.#terms;
    return candidates.filter(({ model, freeQuota }) => !this.#grants.has(model) && (freeQuota === null || mayContinue));
  }

  /** What the payable ones may cost is held. */
  holdPaid(): void {
    this.#isPaidHeld = true;
  }

  /** The candidate as it stands when its turn comes, free or paid; null when it can be neither. */
  async priced(candidate: RoutedCandidate): Promise<RoutedCandidate | null> {
    const { model, freeQuota } = candidate;
    if (freeQuota === null) return this.#isPaidHeld || costsNothing(candidate) ? candidate : null;
    if (!this.#grants.has(model) && !this.#exhausted.has(model)) await this.#take([candidate]);
    const grant = this.#grants.get(model);
    if (grant !== undefined) {
      const { outputTokensMax } = this.#terms;
      return { ...candidate, prices: NO_PRICES, freeShare: { units: grant.units, exhausted: null, outputTokensMax } };
    }
    const exhausted = this.#exhausted.get(model);
    if (exhausted === undefined || !this.#isPaidHeld || !this.#terms.mayContinue) return null;
    return { ...candidate, freeShare: { units: 0, exhausted } };
  }

  /** The call is over for the quota. Null when no model has answered it. */
  end(served: Model | null): void {
    for (const [model, grant] of this.#grants) {
      if (model === served) continue;
      // Where any model will do, the address has had its answer, whichever model gave it.
      const isAnswered = served !== null && this.#terms.takesAny;
      this.#quota.giveBack(isAnswered ? { ...grant, addressName: null } : grant);
    }
    this.#grants.clear();
  }

  async #take(candidates: readonly RoutedCandidate[]) {
    const limited = candidates.flatMap(({ model, freeQuota }) => (freeQuota === null ? [] : [{ model, freeQuota }]));
    const [first] = candidates;
    if (first === undefined || limited.length === 0) return null;
    const { subject, units, multiplier, takesAny } = this.#terms;
    // What any model may answer is counted once for the address, with the first take.
    const address = takesAny && this.hasGrant ? null : this.#terms.addressOf(first);
    const models = limited.map(({ model, freeQuota }) => ({
      modelId: model.id,
      requestsPerMinute: freeQuota.requestsPerMinute,
      unitsPerDay: freeQuota.requestsPerDay * multiplier,
    }));
    const decision = await this.#quota.take({ subject, units, models, address });
    for (const [index, window] of decision.passedOver.entries()) {
      const passedOver = limited[index]?.model;
      if (passedOver !== undefined) this.#exhausted.set(passedOver, window);
    }
    if (decision.outcome === 'refused' && decision.by === 'address' && !takesAny) {
      this.#exhausted.set(first.model, decision.window);
    }
    const taken = limited[decision.passedOver.length]?.model;
    if (decision.outcome === 'granted' && taken !== undefined) this.#grants.set(taken, decision.grant);
    return decision;
  }
}

/** By a quota, or because the caller brings the upstream. */
function mayCostNothing(candidate: RoutedCandidate): boolean {
  return candidate.freeQuota !== null || costsNothing(candidate);
}

const costsNothing = ({ prices }: RoutedCandidate): boolean => prices === NO_PRICES;

function onePerModel(candidates: readonly RoutedCandidate[]): readonly RoutedCandidate[] {
  return candidates.filter(
    ({ model }, index) => candidates.findIndex((candidate) => candidate.model === model) === index,
  );
}

// What a call counts for in a free quota: the longer its prompt and the more answers it wants, the more. Leaning to the
// high side, as reservations do, would cost a caller units that it never used, so a long prompt is measured; a short
// one is one unit either way.

const TOKENS_PER_UNIT = 8_192;

function freeUnits(request: CanonicalRequest): number | Promise<number> {
  const { promptTokensEstimate, choiceCount } = request;
  if (promptTokensEstimate <= TOKENS_PER_UNIT) return choiceCount;
  if (request.operation !== 'chat') return unitsOf(promptTokensEstimate) * choiceCount;
  return measurePrompt(readTurns(request)).then((prompt) => unitsOf(midpoint(roughTotal(prompt))) * choiceCount);
}

function unitsOf(promptTokens: number): number {
  return Math.max(1, Math.ceil(promptTokens / TOKENS_PER_UNIT));
}
