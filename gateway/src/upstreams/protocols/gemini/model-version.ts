// What the version in a model's name says about it. From 3 on thinking is a level, calls are signed and have ids; some
// models of 3.5 and all later ones have a fixed sampling and want the user to have the last word.

const VERSION = /gemini-(\d+(?:\.\d+)?)/i;
/** A name that always means the newest. */
const LATEST = /gemini-[a-z-]*latest/i;
const SIGNED_SINCE = 3;
const STRICT_SINCE = 3.6;
/** From here on only the smallest and those for pictures have a level below the lowest of the others. */
const HIGHER_LEAST_SINCE = 3.7;
const STRICT_BEFORE = /gemini-3\.5-flash-lite/i;

/** Zero where the name does not tell. */
function versionOf(upstreamModel: string): number {
  if (LATEST.test(upstreamModel)) return Number.POSITIVE_INFINITY;
  return Number(VERSION.exec(upstreamModel)?.[1] ?? 0);
}

export const isNewer = (upstreamModel: string): boolean => versionOf(upstreamModel) >= SIGNED_SINCE;

export const isStrict = (upstreamModel: string): boolean =>
  versionOf(upstreamModel) >= STRICT_SINCE || STRICT_BEFORE.test(upstreamModel);

/** The least that a model can be told to think, of those that know levels. */
export function leastLevel(upstreamModel: string): string {
  if (!/flash/i.test(upstreamModel)) return 'low';
  return versionOf(upstreamModel) < HIGHER_LEAST_SINCE || /lite|image/i.test(upstreamModel) ? 'minimal' : 'low';
}
