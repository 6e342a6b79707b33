// An upstream that a customer brings for one model. It stands beside the platform's routes and not among them: it costs
// nothing here, nobody else may use it, and its address and its key only ever go together.

import type { Provider } from './model.ts';

export type OwnUpstream = Readonly<{
  byokKeyId: string;
  orgId: string;
  provider: Provider;
  upstreamModel: string;
  /** Whatever goes wrong, the platform is not asked instead. */
  isStrict: boolean;
  /** The API keys that it carries calls of; null means all of the organization. */
  scopedKeyIds: ReadonlySet<string> | null;
}>;

/** By the id of the model, in the order of trying. */
export type OwnUpstreams = ReadonlyMap<string, readonly OwnUpstream[]>;
