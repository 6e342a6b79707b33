// Why a call cost what it cost, and what providers should have billed for a span of days: for the operator alone.
// Amounts are exact decimal text in USD.

export type ExplanationAnswer = Readonly<{
  id: string;
  createdAt: string;
  accountId: string;
  userId: string;
  keyId: string;
  teamId: string | null;
  operation: string;
  model: string;
  provider: string;
  upstreamModel: string;
  app: string | null;
  streamed: boolean;
  finishReason: string | null;
  durationMs: number;
  firstTokenMs: number | null;
  /** Every try in order; the last one is what the caller got. */
  attempts: readonly Readonly<{
    provider: string;
    upstreamModel: string;
    outcome: string;
    status: number;
    durationMs: number;
  }>[];
  tokens: Readonly<{
    prompt: number;
    cached: number;
    cacheWrite: number;
    completion: number;
    reasoning: number;
  }>;
  /** Null where nothing was charged. The version is the same for equal prices, whenever and wherever they were set. */
  price: Readonly<{
    version: string;
    firstUsedAt: string;
    /** By name, USD for a million units. */
    perMillion: Readonly<Record<string, string>>;
  }> | null;
  /** How the price makes the cost; one rounding, half up, at the end. Empty where nothing was charged. */
  lines: readonly Readonly<{ what: string; units: number; usd: string }>[];
  costUsd: string;
  chargedUsd: string;
  absorbedUsd: string;
  absorbedReason: string | null;
  entries: readonly Readonly<{
    id: string;
    kind: string;
    from: string;
    to: string;
    amountUsd: string;
    createdAt: string;
    /** The caps and breakers it was counted under, those of windows that are long over left out. */
    counters: readonly Readonly<{ scope: string; scopeId: string; window: string; windowStart: string }>[];
  }>[];
  /** Why the auto router chose the model, where it did. */
  auto: unknown;
}>;

export type UpstreamCostsAnswer = Readonly<{
  from: string;
  to: string;
  costs: readonly Readonly<{
    date: string;
    provider: string;
    upstreamModel: string;
    requests: number;
    tokens: number;
    /** What calls cost at list price, paid by the caller or not. */
    upstreamUsd: string;
    chargedUsd: string;
    absorbedUsd: string;
  }>[];
}>;
