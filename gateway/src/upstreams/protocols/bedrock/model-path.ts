// The path of a model. Its name may be an id, a profile of several regions or a whole resource name; colons and slashes
// are escaped, because the signature covers the path as it is sent.

import type { Candidate } from '../../../canonical/model.ts';

/** After a prefix for regions, and inside resource names. */
const ANTHROPIC = /(?:^|[./])anthropic\./;

export function modelPath({ upstreamModel }: Pick<Candidate, 'upstreamModel'>): string {
  return `/model/${encodeURIComponent(upstreamModel)}`;
}

export function isAnthropicModel(upstreamModel: string): boolean {
  return ANTHROPIC.test(upstreamModel);
}
