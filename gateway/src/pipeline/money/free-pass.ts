// The share of free quotas that one call takes. Every free model has a quota of its own, so a call that fails over to
// another model takes from that model's quota then; what was taken for a model that did not answer is given back.

import type { FreeWindow, Model } from '../../canonical/model.ts';
import type { CanonicalRequest } from '../../canonical/operation.ts';
import { NO_PRICES } from '../../canonical/price.ts';
import type { ConversationRequest } from '../../canonical/request.ts';
import type { FreeGrant, FreeQuota, FreeRefusal, FreeTake } from '../../modules/free-tier/free-quota.ts';
import { midpoint } from '../../modules/tokens/count.ts';
import { measurePrompt, readTurns, roughTotal } from '../fit-context.ts';
import type { RoutedCandidate } from '../route.ts';

export type FreeTerms = Readonly<{
  subject: string;
  units: number;
  /** Multiplies the daily limit. */
  multiplier: number;
  /** What all callers from the same network may have together. */
  addressOf(candidate: RoutedCandidate): FreeTake['address'];
  /** The longest answer that is free, for each choice. */
  outputTokensMax: number;
  /** The caller accepts any free model: those without quota left are passed over. */
  takesAny: boolean;
  /** Beyond the quota the caller prefers to pay over being refused. */
  mayContinue: boolean;
}>;

export class FreePass {
  readonly #quota: FreeQuota;
  readonly #terms: FreeTerms;
  readonly #grants = new Map<Model, FreeGrant>();
  readonly #exhausted = new Map<Model, FreeWindow>();
  #isPaidReserved = false;

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

  /** The candidates that the caller may have to pay for. */
  payable(candidates: readonly RoutedCandidate[]): readonly RoutedCandidate[] {
    const { mayContinue } = this.#terms;
    return candidates.filter(({ model, freeQuota }) => !this.#grants.has(model) && (freeQuota === null || mayContinue));
  }

  /** The candidates that must be paid for may be tried: what the dearest of them may cost is reserved. */
  reservePaid(): void {
    this.#isPaidReserved = true;
  }

  /** The candidate as it stands when its turn comes, free or paid; null when it can be neither. */
  async priced(candidate: RoutedCandidate): Promise<RoutedCandidate | null> {
    const { model, freeQuota } = candidate;
    if (freeQuota === null) return this.#isPaidReserved || costsNothing(candidate) ? candidate : null;
    if (!this.#grants.has(model) && !this.#exhausted.has(model)) await this.#take([candidate]);
    const grant = this.#grants.get(model);
    if (grant !== undefined) {
      const { outputTokensMax } = this.#terms;
      return { ...candidate, prices: NO_PRICES, freeShare: { units: grant.units, exhausted: null, outputTokensMax } };
    }
    const exhausted = this.#exhausted.get(model);
    if (exhausted === undefined || !this.#isPaidReserved || !this.#terms.mayContinue) return null;
    return { ...candidate, freeShare: { units: 0, exhausted } };
  }

  /** Ends the call for the quota. `served` is null when no model has answered. */
  end(served: Model | null): void {
    for (const [model, grant] of this.#grants) {
      if (model === served) continue;
      // Where any free model was accepted, the address keeps its one count, whichever model answered.
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
    // Where any free model is accepted, the address is counted once, with the first model.
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

/** The candidate may be free by a quota, or because the caller brings the upstream. */
export function mayCostNothing(candidate: RoutedCandidate): boolean {
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

export async function freeUnits(request: CanonicalRequest, candidates: readonly RoutedCandidate[]): Promise<number> {
  const { promptTokensEstimate, choiceCount } = request;
  if (promptTokensEstimate <= TOKENS_PER_UNIT) return choiceCount;
  const free = candidates.filter(({ freeQuota }) => freeQuota !== null);
  const tokens = request.operation === 'chat' ? await promptTokens(request) : promptTokensEstimate;
  // One that the prompt was shortened for gets no more of it than fits it.
  const shares = free.map(({ entriesKept, model }) =>
    entriesKept === undefined ? tokens : Math.min(tokens, model.contextLength ?? tokens),
  );
  return unitsOf(Math.max(...shares)) * choiceCount;
}

const promptTokens = async (request: ConversationRequest): Promise<number> =>
  midpoint(roughTotal(await measurePrompt(readTurns(request))));

function unitsOf(promptTokens: number): number {
  return Math.max(1, Math.ceil(promptTokens / TOKENS_PER_UNIT));
}
