// GET /admin/v1/health/routes: how every route of the catalog does, for the people who run the gateway.

/**
 * `healthy`; `probing` is let one call at a time; `isolated` after failures, `rate_limited` and `auth_failed` for what
 * the provider said; `suspect` when its provider has refused the key elsewhere, so that others go first.
 */
export type RouteState = 'healthy' | 'probing' | 'isolated' | 'rate_limited' | 'auth_failed' | 'suspect';

export type RouteHealthEntry = Readonly<{
  provider: string;
  upstreamModel: string;
  /** The models that are served through it. */
  models: readonly string[];
  state: RouteState;
  breaker: 'closed' | 'open' | 'half_open';
  /** When a route that is not asked will be asked again; null for one that is. */
  retryInSeconds: number | null;
  /** Of the last minute; the rate is null when there were no calls. */
  calls: number;
  errorRate: number | null;
  /** To the first piece of a stream, or the whole of another answer, over the newest calls. */
  latencyMs: Readonly<{ p50: number | null; p95: number | null }>;
  tokensPerSecond: number | null;
  lastError: Readonly<{ kind: string; at: string; detail: string }> | null;
}>;

export type RouteHealthAnswer = Readonly<{ routes: readonly RouteHealthEntry[] }>;
