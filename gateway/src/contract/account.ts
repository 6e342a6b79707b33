// What a key's holder reads about the key, its account and its calls. Amounts are JSON numbers in USD.

/** A key in lists and answers. `key` is there once, in the answer that creates it. */
export type KeyObject = Readonly<{
  id: string;
  name: string;
  keyType: 'standard' | 'management';
  keyPrefix: string;
  keySuffix: string;
  enabled: boolean;
  spendLimitUsd: number | null;
  spendLimitPeriod: string | null;
  /** What was spent of the limit in its current period; null without a limit. */
  spendLimitUsedUsd: number | null;
  expiresAt: string | null;
  createdAt: string;
  lastUsed: string | null;
  requestCount: number;
  totalTokens: number;
  /** Everything that the key ever spent. */
  spentUsd: number;
  allowedCidrs: readonly string[];
  /** Calls beyond the quota of a free model go on at the paid price. */
  freeFallback: boolean;
  /** Of an organization's key alone: who holds it, and the team whose key it is. */
  userId?: string;
  teamId?: string | null;
}>;

export type KeyList = Readonly<{ keys: readonly KeyObject[] }>;

export type NewKeyObject = KeyObject & Readonly<{ key: string }>;

export type RateLimitInfo = Readonly<{ requests: number; interval: string; note: string }>;

export type CreditsAnswer = Readonly<{ data: Readonly<{ total_credits: number; total_usage: number }> }>;

export type KeyInfoAnswer = Readonly<{
  data: Readonly<{
    label: string;
    limit: number | null;
    /** What the key's own cap leaves, or the account's balance where it has none. */
    limit_remaining: number;
    limit_reset: 'daily' | 'weekly' | 'monthly' | null;
    expires_at: string | null;
    is_free_tier: boolean;
    is_management_key: boolean;
    is_provisioning_key: boolean;
    usage: number;
    usage_daily: number;
    usage_weekly: number;
    usage_monthly: number;
    requests: number;
    requests_daily: number;
    requests_weekly: number;
    requests_monthly: number;
    rate_limit: RateLimitInfo;
    creator_user_id: string;
    organization_id: string | null;
    workspace_id: null;
  }>;
}>;

/** Exactly these five: the route is promised to stay small. */
export type AuthKeyAnswer = Readonly<{
  data: Readonly<{
    label: string;
    usage: number;
    limit: number | null;
    is_free_tier: boolean;
    rate_limit: RateLimitInfo;
  }>;
}>;

export type GenerationAnswer = Readonly<{
  data: Readonly<{
    id: string;
    model: string;
    provider: string;
    created_at: string;
    operation: string;
    key_id: string;
    /** The name outlives the key. */
    key_name: string | null;
    app_name: string | null;
    finish_reason: string | null;
    /** The upstream's HTTP status. */
    status: number;
    duration_ms: number;
    first_token_ms: number | null;
    /** Completion tokens per second. */
    throughput: number;
    streamed: boolean;
    is_failover: boolean;
    /** A free model's quota carried the call, so it cost nothing. */
    is_free: boolean;
    /** Every try at a provider, in order: `answered`, or why it did not. */
    attempts: readonly Readonly<{ provider: string; outcome: string; status: number; duration_ms: number }>[];
    /** Why the auto router chose this model; null where the caller named it. */
    auto: Readonly<{
      table: string;
      tier: string;
      /** The tier it was scored into, where doubt moved it one up. */
      promoted_from: string | null;
      confidence: number;
      signals: readonly Readonly<{ name: string; weight: number }>[];
    }> | null;
    usage: Readonly<{
      prompt_tokens: number;
      completion_tokens: number;
      total_tokens: number;
      prompt_tokens_details: Readonly<{ cached_tokens: number; cache_write_tokens: number; audio_tokens: number }>;
      completion_tokens_details: Readonly<{ reasoning_tokens: number; image_tokens: number }>;
      /** What is not counted in tokens: `characters`, `audio_seconds`, `images`, `video_seconds`. */
      units?: Readonly<Record<string, number>>;
      cost: number;
    }>;
    cost_breakdown: Readonly<{ subtotal: number; cache_discount: number; total: number }>;
  }>;
}>;
