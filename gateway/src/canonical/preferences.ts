// The caller's wishes about who serves a call, as every dialect reads them. A wish restricts or orders the providers of
// a model; it never makes one available that the catalog does not offer.

export type ProviderSort = 'price' | 'latency' | 'throughput';

export type ProviderPreferences = Readonly<{
  /** Tried first and in this order. */
  order: readonly string[];
  /** Null: any provider may serve. */
  only: readonly string[] | null;
  ignore: readonly string[];
  /** False: no other provider is asked when the first choice fails. */
  allowFallbacks: boolean;
  /** Parameters of this request that the model must state to support; null when the caller does not insist. */
  requiredParameters: readonly string[] | null;
  dataCollection: 'allow' | 'deny';
  /** Null: any, also unknown. */
  quantizations: readonly string[] | null;
  sort: ProviderSort | null;
  /** The order counts across all models of the call, and not only among the providers of each. */
  sortsAcrossModels: boolean;
  /** The highest price that the caller accepts, by price name: USD per million tokens, or per unit. */
  maxPriceUsd: Readonly<Record<string, number>> | null;
}>;
