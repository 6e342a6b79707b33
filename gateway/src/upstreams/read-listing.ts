// A vendor's list of models with what it tells about each. Lists have one shape and many spellings; whatever is not a
// sensible value counts as not told, since it comes from outside.

import { isJsonObject, type JsonObject } from '../canonical/json.ts';

export type ListedLine = Readonly<{
  name: string;
  title: string | null;
  contextLength: number | null;
  outputTokensMax: number | null;
  /** USD per million tokens, as exact decimals. */
  pricing: Readonly<{ prompt: string; completion: string; cache_read?: string }> | null;
}>;

export type ListedPrices = 'usd-per-token' | 'usd-per-million' | 'metadata-per-million';

const MODELS_MAX = 10_000;
const NAME_LENGTH_MAX = 200;
const TOKENS_MAX = 1_000_000_000;
const PATH_PREFIX = /^models\//;

/** Null when it is no list. */
export function readListing(body: Buffer, prices: ListedPrices | null): readonly ListedLine[] | null {
  let json: unknown;
  try {
    json = JSON.parse(body.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  const list: unknown = isJsonObject(json) ? (json.data ?? json.models) : json;
  if (!Array.isArray(list)) return null;
  const lines = list.slice(0, MODELS_MAX).flatMap((entry: unknown) => {
    const line = isJsonObject(entry) ? readLine(entry, prices) : null;
    return line === null ? [] : [line];
  });
  return [...new Map(lines.map((line) => [line.name, line])).values()];
}

function readLine(entry: JsonObject, prices: ListedPrices | null): ListedLine | null {
  const named = entry.id ?? entry.name;
  if (typeof named !== 'string' || named === '' || named.length > NAME_LENGTH_MAX) return null;
  const limits = isJsonObject(entry.limits) ? entry.limits : {};
  const top = isJsonObject(entry.top_provider) ? entry.top_provider : {};
  const metadata = isJsonObject(entry.metadata) ? entry.metadata : {};
  const title = entry.display_name ?? entry.displayName ?? (entry.id === undefined ? undefined : entry.name);
  return {
    name: named.replace(PATH_PREFIX, ''),
    title: typeof title === 'string' && title !== '' && title.length <= NAME_LENGTH_MAX ? title : null,
    contextLength: firstCount([
      ...[entry.context_length, entry.context_window, entry.max_context_length, entry.max_model_len],
      ...[entry.inputTokenLimit, entry.max_input_tokens, limits.max_input_tokens, metadata.context_length],
    ]),
    outputTokensMax: firstCount([
      ...[entry.max_completion_tokens, top.max_completion_tokens, entry.outputTokenLimit, entry.max_output_tokens],
      ...[limits.max_output_tokens, metadata.max_tokens],
    ]),
    pricing: prices === null ? null : readPrices(entry, metadata, prices),
  };
}

const firstCount = (values: readonly unknown[]): number | null => {
  const found = values.find((value) => Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= TOKENS_MAX);
  return found === undefined ? null : Number(found);
};

function readPrices(entry: JsonObject, metadata: JsonObject, form: ListedPrices): ListedLine['pricing'] {
  const stated = form === 'metadata-per-million' ? metadata.pricing : entry.pricing;
  if (!isJsonObject(stated)) return null;
  const [names, factor] = FORMS[form];
  const [prompt, completion, cacheRead] = names.map((name) => perMillion(stated[name], factor));
  if (prompt === undefined || prompt === null || completion === undefined || completion === null) return null;
  return { prompt, completion, ...(cacheRead === undefined || cacheRead === null ? {} : { cache_read: cacheRead }) };
}

/** Their names for what comes in, goes out and is read from a cache, and how many of their units are a million. */
const FORMS: Readonly<Record<ListedPrices, readonly [readonly string[], number]>> = {
  'usd-per-token': [['prompt', 'completion', 'input_cache_read'], 1_000_000],
  'usd-per-million': [['input', 'output', 'cached_input'], 1],
  'metadata-per-million': [['input_tokens', 'output_tokens', 'cache_read_tokens'], 1],
};

/** Null for what is no price; a negative one stands for a price that depends. */
function perMillion(value: unknown, factor: number): string | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number) || number < 0 || number > 1_000_000) return null;
  return (number * factor).toFixed(9).replace(/\.?0+$/, '');
}
