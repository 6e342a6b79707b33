// How an attempt can fail, as far as the health of a route is concerned. The pipeline hands the upstream's failures
// over in this shape.

export type FailureKind =
  | 'rate_limited'
  | 'auth_failed'
  | 'unavailable'
  | 'rejected'
  | 'model_missing'
  | 'unreachable'
  | 'timeout'
  | 'malformed';

export type AttemptFailure = Readonly<{
  kind: FailureKind;
  /** What the provider asked for, where it asked. */
  retryAfterSeconds?: number | null;
  /** The key was refused for this model, and may be good for others. */
  isOfModel?: boolean;
  /** Shown to operators only. */
  detail: string;
}>;

/** Why a route is not used at present. */
export type IsolationReason = 'failing' | 'rate_limited' | 'auth_failed';
