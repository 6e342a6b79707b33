// Reads a usage record, which is a stranger's claim about money: one figure that is not a count makes the whole record
// worthless, and then nothing is charged. Where it lists the turns of the answer, those are billed, because its totals
// leave some out.

import { isJsonObject, isSet, type JsonObject } from '../../../canonical/json.ts';
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

/** For a single record; null when there is none, or none that can be believed. */
export function readUsage(value: unknown): Usage | null {
  const record = readRecord(value);
  return record === null || record === 'invalid' ? null : withStatedExtras(usageOf(record), value);
}

/**
 * Combines the records of one stream. Each is cumulative and may leave out what has not changed, so the highest value
 * of each figure counts; adding them up would charge twice. Some upstreams estimate the prompt at the start, so the
 * last prompt figure counts, unless it is zero. The last list of turns is the complete one.
 */
export class UsageTally {
  #record: UsageRecord = { counts: NO_COUNTS, turns: null };
  #isInvalid = false;
  /** The first record says how the answer is made; the last one may leave that out. */
  #stated: JsonObject = {};

  add(value: unknown): void {
    const record = readRecord(value);
    if (record === 'invalid') this.#isInvalid = true;
    else if (record !== null) {
      const highest = combineCounts(this.#record.counts, record.counts, Math.max);
      const counts = { ...highest, ...restatedPrompt(record.counts, value as JsonObject) };
      this.#record = { counts, turns: record.turns ?? this.#record.turns };
      this.#stated = withLatestExtras(this.#stated, value as JsonObject);
    }
  }

  /** Null once a record could not be believed. */
  get usage(): Usage | null {
    return this.#isInvalid ? null : withStatedExtras(usageOf(this.#record), this.#stated);
  }
}

/** Only what extras are read from: records are a stranger's, and whole ones could add up without end. */
function withLatestExtras(before: JsonObject, { service_tier, speed, inference_geo }: JsonObject): JsonObject {
  return {
    service_tier: service_tier ?? before.service_tier,
    speed: speed ?? before.speed,
    inference_geo: inference_geo ?? before.inference_geo,
  };
}

function restatedPrompt(counts: ExclusiveCounts, record: JsonObject): Partial<ExclusiveCounts> {
  const { inputTokens, cacheReadTokens, cacheWriteTokens } = counts;
  if (inputTokens + cacheReadTokens + cacheWriteTokens === 0) return {};
  return {
    ...(isSet(record.input_tokens) ? { inputTokens } : {}),
    ...(isSet(record.cache_read_input_tokens) ? { cacheReadTokens } : {}),
    ...(isSet(record.cache_creation_input_tokens) ? { cacheWriteTokens } : {}),
  };
}

function readRecord(value: unknown): UsageRecord | null | 'invalid' {
  if (value === undefined || value === null) return null;
  if (!isJsonObject(value)) return 'invalid';
  const counts = readCounts(value);
  const turns = readTurns(value.iterations);
  return counts === null || turns === 'invalid' ? 'invalid' : { counts, turns };
}

/** The totals are enough, unless a turn was a summary or another model's. */
function usageOf({ counts, turns }: UsageRecord): Usage {
  const totals = includeCacheInPrompt(counts);
  if (turns === null || turns.every((turn) => turn.kind === 'own' && !turn.isSummary)) return totals;
  const isSummarized = turns.some((turn) => turn.kind === 'own' && turn.isSummary);
  const shown = isSummarized ? sumOf(turns, counts) : totals;
  return { ...shown, turns: turns.map(toTurn) };
}

const plus = (left: number, right: number): number => left + right;

/** Advice is not the called model's work. Searches and thinking are only in the totals. */
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
