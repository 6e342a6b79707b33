// Cache points, by what the model takes of them. A model that has no cache refuses the whole call for one, with the
// status of a bad key; so do earlier models for an hour, and Amazon's own for a point among the tools.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import { versionOfModel } from '../anthropic/model-version.ts';
import { isAnthropicModel, isNova } from './model-path.ts';

export type PointRules = Readonly<{ inPrompt: boolean; inTools: boolean; isForHours: boolean }>;

const NONE: PointRules = { inPrompt: false, inTools: false, isForHours: false };
const CACHED_SINCE = 3.5;
const HOURS_SINCE = 4.5;
/** The first of its version has no cache, the second has. */
const UNCACHED = /claude-3-5-sonnet-20240620/;

export function pointRulesOf(candidate: Candidate): PointRules {
  const { upstreamModel } = candidate;
  if (isNova(candidate)) return { ...NONE, inPrompt: true };
  if (!isAnthropicModel(candidate) || UNCACHED.test(upstreamModel)) return NONE;
  // A name without a version is that of a profile; nobody would make one for a model of years ago.
  const stated = versionOfModel(candidate);
  const version = stated === 0 ? Number.POSITIVE_INFINITY : stated;
  const inPrompt = version >= CACHED_SINCE;
  return { inPrompt, inTools: inPrompt, isForHours: version >= HOURS_SINCE };
}

/** For a list in which points stand as members of their own. */
export function fitPoints(
  blocks: readonly JsonObject[],
  isTaken: boolean,
  { isForHours }: PointRules,
): readonly JsonObject[] {
  if (isTaken && isForHours) return blocks;
  return blocks.flatMap((block) => {
    if (!isJsonObject(block.cachePoint)) return [block];
    return isTaken ? [{ cachePoint: { type: 'default' } }] : [];
  });
}
