// The path of a model. Its name may be an id, a profile of several regions or a whole resource name; colons and slashes
// are escaped, because the signature covers the path as it is sent.

import type { Candidate } from '../../../canonical/model.ts';
import type { CodecRoute } from '../../protocol.ts';

/** After a prefix for regions, and inside resource names. */
const ANTHROPIC = /(?:^|[./])anthropic\./;

export function modelPath({ upstreamModel }: Pick<Candidate, 'upstreamModel'>): string {
  return `/model/${encodeURIComponent(upstreamModel)}`;
}

/** By its name; a profile of the account's own has none, so there the family tells. */
export function isAnthropicModel({ upstreamModel, model }: Pick<CodecRoute, 'upstreamModel' | 'model'>): boolean {
  if (ANTHROPIC.test(upstreamModel)) return true;
  return upstreamModel.startsWith('arn:') && !upstreamModel.includes('.') && model.traits.family === 'anthropic';
}

const NOVA = /\bnova-/;

/** Amazon's own models, which take nearly everything that those of Anthropic take. */
export const isNova = ({ upstreamModel }: Pick<CodecRoute, 'upstreamModel'>): boolean => NOVA.test(upstreamModel);
