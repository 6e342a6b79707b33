// Reads a usage record, which is a stranger's claim about money. Each count must be a whole number in range; one that
// is not makes the whole record worthless, and then nothing is charged. Providers disagree on what `prompt_tokens` and
// `completion_tokens` include; `total_tokens` shows the rest.

import { isJsonObject, type JsonObject, objectOrEmpty } from '../../../canonical/json.ts';
import { type Usage, withUnits } from '../../../canonical/usage.ts';
import { readCount } from '../../read-count.ts';

/** Null: there was no record. `invalid`: there was one that cannot be believed, which is worth an alert. */
export function convertUsage(value: unknown): Usage | null | 'invalid' {
  if (value === undefined || value === null) return null;
  if (!isJsonObject(value)) return 'invalid';
  const stated = readStated(value);
  for (const name in stated) if (stated[name as keyof Stated] === -1) return 'invalid';
  const { prompt, completion, reasoning } = stated;
  const beside = besideTotals(stated);
  const promptTokens = prompt + beside.prompt;
  const completionTokens = completion + beside.completion;
  const cachedTokens = Math.min(stated.cached, promptTokens);
  // Tokens can be written and read in one call. A provider that states its cost has billed by this record; with others
  // it is a mistake, and nothing is charged twice.
  const writableTokens = hasCost(value) ? promptTokens : promptTokens - cachedTokens;
  const usage: Usage = {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens: Math.min(stated.cacheWrite, writableTokens),
    // A part cannot be more than its whole.
    reasoningTokens: Math.min(reasoning, completionTokens),
    promptAudioTokens: Math.min(stated.promptAudio, promptTokens),
    completionImageTokens: Math.min(stated.completionImage, completionTokens),
    ...(beside.completion === 0 ? {} : { apartTokens: beside.completion }),
  };
  const counted = withUnits(usage, { webSearches: stated.webSearches });
  if (!isSplit(value) || usage.cacheWriteTokens === 0) return counted;
  // Zero is noted as well: it says that nothing was written for an hour, whatever was asked for.
  const cacheWriteHourTokens = Math.min(stated.cacheWriteHour, usage.cacheWriteTokens);
  return { ...counted, units: { ...counted.units, cacheWriteHourTokens } };
}

export function readUsage(value: unknown): Usage | null {
  const usage = convertUsage(value);
  return usage === 'invalid' ? null : usage;
}

type Stated = Readonly<
  Record<
    | 'prompt'
    | 'completion'
    | 'total'
    | 'cached'
    | 'cacheWrite'
    | 'cacheWriteHour'
    | 'reasoning'
    | 'promptAudio'
    | 'completionImage'
    | 'webSearches',
    number
  >
>;

/** -1 for each value that is not a count. */
function readStated(record: JsonObject): Stated {
  const ofPrompt = objectOrEmpty(record.prompt_tokens_details ?? record.prompt_token_details);
  const ofCompletion = objectOrEmpty(record.completion_tokens_details);
  const uses = objectOrEmpty(record.server_tool_use ?? record.server_tool_use_details);
  const search = objectOrEmpty(objectOrEmpty(record.plugins).search);
  return {
    prompt: readCount(record.prompt_tokens ?? record.input_tokens),
    completion: readCount(record.completion_tokens ?? record.output_tokens),
    total: readCount(record.total_tokens),
    // Some providers count cache hits outside the details, and writes under the names of other formats.
    cached: readCount(ofPrompt.cached_tokens ?? record.prompt_cache_hit_tokens ?? record.cached_tokens),
    cacheWrite: readCount(
      ofPrompt.cache_write_tokens ?? ofPrompt.cache_creation_input_tokens ?? ofPrompt.cache_creation_tokens,
    ),
    cacheWriteHour: readCount(objectOrEmpty(ofPrompt.cache_creation_token_details).ephemeral_1h_input_tokens),
    reasoning: readCount(ofCompletion.reasoning_tokens ?? record.reasoning_tokens),
    promptAudio: readCount(ofPrompt.audio_tokens),
    completionImage: readCount(ofCompletion.image_tokens),
    webSearches: readCount(uses.web_search_requests ?? record.num_search_queries ?? search.count),
  };
}

/**
 * What the total has beyond prompt and completion. Where it equals the audio or the cached part of the prompt, that was
 * counted beside the prompt; anything else is thinking that was counted beside the answer.
 */
function besideTotals(stated: Stated): Readonly<{ prompt: number; completion: number }> {
  const { prompt, completion, total, promptAudio, cached, cacheWrite } = stated;
  const apart = total - prompt - completion;
  if (apart <= 0) return { prompt: 0, completion: 0 };
  const isCache = cached + cacheWrite > prompt && apart === cached + cacheWrite;
  return apart === promptAudio || isCache ? { prompt: apart, completion: 0 } : { prompt: 0, completion: apart };
}

/** Whether it tells apart how long a cache keeps what was written; most do not. */
const isSplit = ({ prompt_tokens_details: details }: JsonObject): boolean =>
  isJsonObject(details) && isJsonObject(details.cache_creation_token_details);

const hasCost = ({ cost }: JsonObject): boolean => typeof cost === 'number' && cost > 0;
