// What a call consumed, in one convention whatever the upstream's: `promptTokens` includes cached and cache-writing
// tokens, `completionTokens` includes reasoning. Every number here has been validated as a safe non-negative integer.

import type { NanoUsd } from '../platform/money.ts';
import { isJsonObject, type JsonObject } from './json.ts';

/** What is not counted in tokens; absent is none. */
export type Units = Readonly<{
  /** Unicode code points of the text to be spoken. */
  characters?: number;
  /** Of sound that was listened to. */
  audioMs?: number;
  images?: number;
  /** Of video that was made, or looked at. */
  videoMs?: number;
  /** Searches of the web, and uses of other tools, that the provider ran for the model. */
  webSearches?: number;
  hostedTools?: number;
  /** Queries of up to a hundred documents that were put in order. */
  searches?: number;
  /** Inputs that were judged by a policy: what counts where an upstream counts nothing else. */
  judged?: number;
  /** Of the tokens written to a cache, those that it keeps for an hour: they are among the prompt's all the same. */
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
  /** Of the completion, what the upstream counts beside it: the caller's limit on the answer does not bind it. */
  apartTokens?: number;
  /**
   * Where an upstream accounts for several turns of one answer: they are what is charged, each by itself. The figures
   * above are what is shown, and leave out advice.
   */
  turns?: readonly UsageTurn[];
  units?: Units;
  /** What it says was had beyond the ordinary, by the names of extras. */
  extras?: readonly string[];
  /** What the upstream says the call costs, in operations that are charged by its word. */
  statedCostNanoUsd?: NanoUsd;
}>;

/**
 * `own` is the called model's. A `substitute` has answered in its place; `advice` was taken from another model on the
 * way. Both are at the price of the model that they name by its upstream's word.
 */
export type UsageTurn = Readonly<{ usage: Usage }> &
  Readonly<{ kind: 'own' } | { kind: 'substitute' | 'advice'; upstreamModel: string }>;

/** The same usage with more counted; null stays null, and what is zero is not noted. */
export function withUnits(usage: Usage, counted: Units): Usage;
export function withUnits(usage: Usage | null, counted: Units): Usage | null;
export function withUnits(usage: Usage | null, counted: Units): Usage | null {
  const units = Object.entries(counted).filter(([, quantity]) => quantity > 0);
  if (usage === null || units.length === 0) return usage;
  return { ...usage, units: { ...usage.units, ...Object.fromEntries(units) } };
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
  return usage.units === undefined || Object.values(usage.units).every((quantity) => quantity === 0);
}

// Where a chunk of a chat stream says what was used: most upstreams in the chunk itself, some in its choice, and some
// beside it in a member of their own.

/** Undefined or null where it says nothing. What is found is a stranger's word. */
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

// What an answer says of how it was made: the tier, the speed and the place that it was served from, in the usage
// record or beside it. A dearer one than was asked for may have been used, where the account at the provider is set up
// that way.

const NAMES = ['service_tier', 'speed', 'inference_geo'] as const;
/** What needs no saying. */
const ORDINARY: ReadonlySet<string> = new Set(['auto', 'default', 'standard', 'global', 'not_available', '']);
const LENGTH_MAX = 64;

/** The usage with the extras that the record names, as a request would ask for them. */
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

// What a search of the web leaves in an answer whose usage does not count searches: sources that are quoted, or calls
// among the output. Somebody has run it, and wants to be paid for it.

/** Of a message, or of a piece of one. */
export function quotesSources({ annotations }: JsonObject): boolean {
  return Array.isArray(annotations) && annotations.some((it) => isJsonObject(it) && it.type === 'url_citation');
}

/** A provider that counts is believed; sources without a count were found by one search at least. */
export function withSearchTrace(usage: Usage | null, isTraced: boolean): Usage | null {
  return isTraced && usage?.units?.webSearches === undefined ? withUnits(usage, { webSearches: 1 }) : usage;
}

const OTHER_CALLS = new Set<unknown>(['code_interpreter_call', 'image_generation_call', 'file_search_call']);

/** Of the items of a response: each use of a tool that the provider ran is one of them. */
export function usesAmong(items: unknown): Units {
  let webSearches = 0;
  let hostedTools = 0;
  for (const item of Array.isArray(items) ? items : []) {
    if (!isJsonObject(item)) continue;
    if (item.type === 'web_search_call') webSearches += 1;
    else if (OTHER_CALLS.has(item.type)) hostedTools += 1;
  }
  return { webSearches, hostedTools };
}
