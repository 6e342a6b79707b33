// An upstream's usage record is a stranger's claim about money: one figure that is none makes it worthless, and then
// nothing is charged. Where it lists the turns of the answer they are what is billed, because its totals leave some out.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import { type Usage, type UsageTurn, withStatedExtras } from '../../../canonical/usage.ts';
import {
  combineCounts,
  type ExclusiveCounts,
  includeCacheInPrompt,
  NO_COUNTS,
  readCounts,
} from './exclusive-counts.ts';
import { type CountedTurn, readTurns } from './read-turns.ts';

type UsageRecord = Readonly<{ counts: ExclusiveCounts; turns: readonly CountedTurn[] | null }>;

/** For a record that stands alone; null when there is none, or none that can be believed. */
export function readUsage(value: unknown): Usage | null {
  const record = readRecord(value);
  return record === null || record === 'invalid' ? null : withStatedExtras(usageOf(record), value);
}

/**
 * The records of one stream together. Each is cumulative and may leave out what has not changed, so the highest value
 * of each figure counts; adding them up would charge twice. What the prompt came to is an estimate at the start with
 * some, and the last word on it counts, unless it is that there was none. The last list of turns is the whole list.
 */
export class UsageTally {
  #record: UsageRecord = { counts: NO_COUNTS, turns: null };
  #isInvalid = false;
  /** The first record says how the answer is made, the last one may leave it out. */
  #stated: JsonObject = {};

  add(value: unknown): void {
    const record = readRecord(value);
    if (record === 'invalid') this.#isInvalid = true;
    else if (record !== null) {
      const highest = combineCounts(this.#record.counts, record.counts, Math.max);
      const counts = { ...highest, ...restatedPrompt(record.counts, value as JsonObject) };
      this.#record = { counts, turns: record.turns ?? this.#record.turns };
      this.#stated = { ...this.#stated, ...(value as JsonObject) };
    }
  }

  /** Null once any record was one that cannot be believed. */
  get usage(): Usage | null {
    return this.#isInvalid ? null : withStatedExtras(usageOf(this.#record), this.#stated);
  }
}

function restatedPrompt(counts: ExclusiveCounts, record: JsonObject): Partial<ExclusiveCounts> {
  const { inputTokens, cacheReadTokens, cacheWriteTokens } = counts;
  if (inputTokens + cacheReadTokens + cacheWriteTokens === 0) return {};
  return {
    ...(isStated(record.input_tokens) ? { inputTokens } : {}),
    ...(isStated(record.cache_read_input_tokens) ? { cacheReadTokens } : {}),
    ...(isStated(record.cache_creation_input_tokens) ? { cacheWriteTokens } : {}),
  };
}

const isStated = (value: unknown): boolean => value !== undefined && value !== null;

function readRecord(value: unknown): UsageRecord | null | 'invalid' {
  if (value === undefined || value === null) return null;
  if (!isJsonObject(value)) return 'invalid';
  const counts = readCounts(value);
  const turns = readTurns(value.iterations);
  return counts === null || turns === 'invalid' ? 'invalid' : { counts, turns };
}

/** The totals say all there is, unless some turn was a summary or another model's. */
function usageOf({ counts, turns }: UsageRecord): Usage {
  const totals = includeCacheInPrompt(counts);
  if (turns === null || turns.every((turn) => turn.kind === 'own' && !turn.isSummary)) return totals;
  const isSummarized = turns.some((turn) => turn.kind === 'own' && turn.isSummary);
  const shown = isSummarized ? sumOf(turns, counts) : totals;
  return { ...shown, turns: turns.map(toTurn) };
}

const plus = (left: number, right: number): number => left + right;

/** Advice is not the called model's work. Searches and thinking are counted in the totals alone. */
function sumOf(turns: readonly CountedTurn[], totals: ExclusiveCounts): Usage {
  const shown = turns.filter(({ kind }) => kind !== 'advice').map((turn) => turn.counts);
  const sum = shown.reduce((left, right) => combineCounts(left, right, plus), NO_COUNTS);
  const { thinkingTokens, webSearches, hostedTools } = totals;
  return includeCacheInPrompt({ ...sum, thinkingTokens, webSearches, hostedTools });
}

function toTurn(turn: CountedTurn): UsageTurn {
  const usage = includeCacheInPrompt(turn.counts);
  if (turn.kind === 'own') return { kind: 'own', usage };
  return { kind: turn.kind, upstreamModel: turn.upstreamModel, usage };
}
