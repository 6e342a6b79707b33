// What a call used, in one convention for all upstreams: `promptTokens` includes cached and cache-writing tokens,
// `completionTokens` includes reasoning. Every number here has been validated as a safe non-negative integer.

import type { NanoUsd } from '../platform/money.ts';
import { isJsonObject, type JsonObject } from './json.ts';

/** What is not counted in tokens; absent means none. */
export type Units = Readonly<{
  /** Unicode code points of the text to be spoken. */
  characters?: number;
  /** Sound that was listened to. */
  audioMs?: number;
  images?: number;
  /** Video that was made or read. */
  videoMs?: number;
  /** Searches of the web, and uses of other tools, that the provider ran for the model. */
  webSearches?: number;
  hostedTools?: number;
  /** Queries of up to a hundred documents that were ranked. */
  searches?: number;
  /** Inputs that were judged by a policy, for upstreams that count nothing else. */
  judged?: number;
  /** Tokens written to a cache that keeps them for an hour; they are also part of the prompt's. */
  cacheWriteHourTokens?: number;
}>;

export const NO_UNITS: Units = {};

export type Usage = Readonly<{
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  /** Kept for reporting only; they are part of the prompt or completion count. */
  promptAudioTokens: number;
  completionImageTokens: number;
  /** The part of the completion that the upstream counts separately: the caller's output limit does not bound it. */
  apartTokens?: number;
  /**
   * Where an upstream reports several turns of one answer: each is charged by itself. The figures above are shown to
   * the caller and leave out advice.
   */
  turns?: readonly UsageTurn[];
  units?: Units;
  /** The extras that the upstream says were used. */
  extras?: readonly string[];
  /** The cost that the upstream states, for operations that are charged by it. */
  statedCostNanoUsd?: NanoUsd;
}>;

/**
 * `own` is the called model's turn. A `substitute` answered in its place; `advice` was taken from another model on the
 * way. Both are charged at the price of the model that the upstream names.
 */
export type UsageTurn = Readonly<{ usage: Usage }> &
  Readonly<{ kind: 'own' } | { kind: 'substitute' | 'advice'; upstreamModel: string }>;

/** The same usage with further units; null stays null, and zero is not noted. */
export function withUnits(usage: Usage, counted: Units): Usage;
export function withUnits(usage: Usage | null, counted: Units): Usage | null;
export function withUnits(usage: Usage | null, counted: Units): Usage | null {
  let units: Record<string, number> | null = null;
  for (const name in counted) {
    const quantity = counted[name as keyof Units] ?? 0;
    if (quantity === 0) continue;
    units ??= { ...usage?.units };
    units[name] = quantity;
  }
  return usage === null || units === null ? usage : { ...usage, units };
}

export const zeroUsage: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  promptAudioTokens: 0,
  completionImageTokens: 0,
};

/** An all-zero record counts as no usage at all: nothing is charged (failed-request protection). */
export function isZeroUsage(usage: Usage): boolean {
  if (usage.promptTokens !== 0 || usage.completionTokens !== 0) return false;
  if (usage.statedCostNanoUsd !== undefined && usage.statedCostNanoUsd !== 0n) return false;
  if (usage.turns?.some((turn) => !isZeroUsage(turn.usage)) === true) return false;
  for (const name in usage.units) if (usage.units[name as keyof Units] !== 0) return false;
  return true;
}

// Where a chunk of a chat stream states usage: most upstreams in the chunk itself, some in its choice, and some in a
// member of their own.

/** Undefined or null where it states none. What is found is not validated yet. */
export function statedUsage(chunk: JsonObject, choice: JsonObject | null | undefined): unknown {
  return chunk.usage ?? choice?.usage ?? usageBeside(chunk);
}

function usageBeside(chunk: JsonObject): unknown {
  for (const name in chunk) {
    if (!name.startsWith('x_')) continue;
    const own = chunk[name];
    if (isJsonObject(own) && isJsonObject(own.usage)) return own.usage;
  }
  return undefined;
}

// What an answer says of how it was made: the tier, the speed and the place that served it, in the usage record or
// beside it. It may be dearer than was asked for, where the account at the provider is set up that way.

const NAMES = ['service_tier', 'speed', 'inference_geo'] as const;
/** Values that need no extra. */
const ORDINARY: ReadonlySet<string> = new Set([
  ...['auto', 'default', 'standard', 'standard_only', 'global', 'not_available', ''],
]);
const LENGTH_MAX = 64;

export const isOrdinaryExtra = (value: string): boolean => ORDINARY.has(value);

/** The usage with the extras that the record names, under the names that requests use. */
export function withStatedExtras(usage: Usage | null, record: unknown): Usage | null {
  if (usage === null || !isJsonObject(record)) return usage;
  let extras: string[] | null = null;
  for (const name of NAMES) {
    const value = record[name];
    if (typeof value !== 'string' || value.length > LENGTH_MAX || ORDINARY.has(value)) continue;
    extras ??= [];
    extras.push(`${name}=${value}`);
  }
  return extras === null ? usage : { ...usage, extras: [...(usage.extras ?? []), ...extras] };
}

// Traces of a web search in an answer whose usage does not count searches: quoted sources, or a list of what was found.
// The provider has run the search and charges for it.

/** In a message, or in a piece of one. */
export function quotesSources({ annotations }: JsonObject): boolean {
  return Array.isArray(annotations) && annotations.some((it) => isJsonObject(it) && it.type === 'url_citation');
}

/** A provider that counts searches is believed; sources without a count were found by at least one search. */
/** In an answer or a chunk of it, beside the choices. */
export const listsFinds = ({ web_search: found }: JsonObject): boolean => Array.isArray(found) && found.length > 0;

export function withSearchTrace(usage: Usage | null, isTraced: boolean): Usage | null {
  return isTraced && usage?.units?.webSearches === undefined ? withUnits(usage, { webSearches: 1 }) : usage;
}
