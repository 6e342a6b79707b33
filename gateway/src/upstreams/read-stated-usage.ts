// Reads the usage record of an operation in which the upstream may state the cost itself, or count in seconds, or in
// tokens under either name. One figure that is not a count makes the whole record worthless, and then nothing is
// charged.

import { isJsonObject, type JsonObject, objectOrEmpty } from '../canonical/json.ts';
import { type Usage, zeroUsage } from '../canonical/usage.ts';
import { type NanoUsd, parseUsd } from '../platform/money.ts';
import { readCount } from './read-count.ts';

/** More than any call can cost. A higher cost counts as this much; the meter then finds it implausible. */
const COST_USD_MAX = 1_000_000;
const SECONDS_MAX = 1e9;

export function readStatedUsage(record: JsonObject | null): Usage | null {
  if (record === null) return null;
  const details = objectOrEmpty(record.input_token_details);
  const prompt = readCount(record.input_tokens ?? record.prompt_tokens);
  const completion = readCount(record.output_tokens ?? record.completion_tokens);
  const total = readCount(record.total_tokens);
  const audio = readCount(details.audio_tokens);
  const audioMs = readSeconds(record.seconds ?? heardIn(record));
  const cost = readCost(record.cost);
  if ([prompt, completion, total, audio, audioMs].includes(-1) || cost === 'invalid') return null;
  // What only the total has is the sound, where it is counted beside the words of the prompt.
  const promptTokens = prompt + Math.max(total - prompt - completion, 0);
  return {
    ...zeroUsage,
    promptTokens,
    completionTokens: completion,
    promptAudioTokens: Math.min(audio, promptTokens),
    ...(audioMs === 0 ? {} : { units: { audioMs } }),
    ...(cost === null ? {} : { statedCostNanoUsd: cost }),
  };
}

/** Some say an empty object where nothing was heard. */
const heardIn = ({ prompt_audio_seconds: heard }: JsonObject): unknown => (isJsonObject(heard) ? undefined : heard);

/** In milliseconds; zero when there are none, -1 for a value that is not a length of time. */
function readSeconds(value: unknown): number {
  if (value === undefined || value === null) return 0;
  if (typeof value !== 'number' || !(value >= 0)) return -1;
  return Math.round(Math.min(value, SECONDS_MAX) * 1_000);
}

function readCost(value: unknown): NanoUsd | null | 'invalid' {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !(value >= 0)) return 'invalid';
  return parseUsd(Math.min(value, COST_USD_MAX).toFixed(9)) ?? 'invalid';
}
