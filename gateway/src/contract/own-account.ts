// What a signed-in person reads of an account: their own, or an organization's. Amounts are JSON numbers in USD.

export type OwnAccountAnswer = Readonly<{
  data: Readonly<{
    /** The id of the person or of the organization. */
    account_id: string;
    kind: 'person' | 'organization';
    name: string;
    /** An organization has none. */
    email: string | null;
    balance: number;
    total_credits: number;
    total_usage: number;
    is_free_tier: boolean;
    rate_limit: Readonly<{ requests: number; interval: string }>;
  }>;
}>;

export type GenerationSummary = Readonly<{
  id: string;
  created_at: string;
  model: string;
  provider: string;
  app_name: string | null;
  key_id: string;
  /** Who made the call. */
  user_id: string;
  operation: string;
  finish_reason: string | null;
  /** The upstream's HTTP status. */
  status: number;
  streamed: boolean;
  duration_ms: number;
  first_token_ms: number | null;
  prompt_tokens: number;
  completion_tokens: number;
  cost: number;
}>;

/** Newest first. `next` is the `after` of the following page; null on the last one. */
export type GenerationListAnswer = Readonly<{ data: readonly GenerationSummary[]; next: string | null }>;
