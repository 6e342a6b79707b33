// A vendor's list of models with its facts about each. Lists have one shape and many spellings; a value that makes no
// sense counts as not stated, because it comes from outside.

import { isJsonObject, type JsonObject, objectOrEmpty } from '../canonical/json.ts';
import { type ListedPrices, type ListedPricing, readListedPrices } from './read-listed-prices.ts';

export type ListedLine = Readonly<{
  name: string;
  title: string | null;
  contextLength: number | null;
  outputTokensMax: number | null;
  pricing: ListedPricing | null;
}>;

const MODELS_MAX = 10_000;
const NAME_LENGTH_MAX = 200;
const TOKENS_MAX = 1_000_000_000;
const PATH_PREFIX = /^models\//;

/** Null when it is not a list. */
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
  const limits = objectOrEmpty(entry.limits);
  const top = objectOrEmpty(entry.top_provider);
  const metadata = objectOrEmpty(entry.metadata);
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
    pricing: prices === null ? null : readListedPrices(entry, metadata, prices),
  };
}

const firstCount = (values: readonly unknown[]): number | null => {
  const found = values.find((value) => Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= TOKENS_MAX);
  return found === undefined ? null : Number(found);
};
