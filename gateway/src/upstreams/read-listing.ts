// A vendor's list of models with its facts about each. Lists have one shape and many spellings; a value that makes no
// sense counts as not stated, because it comes from outside.

import { isJsonObject, type JsonObject, objectOrEmpty } from '../canonical/json.ts';

export type ListedLine = Readonly<{
  name: string;
  title: string | null;
  contextLength: number | null;
  outputTokensMax: number | null;
  /** USD per million tokens, as exact decimals. */
  pricing: ListedPricing | null;
}>;

type ListedPricing = Readonly<{
  prompt: string;
  completion: string;
  cache_read?: string;
  cache_write?: string;
  /** In USD for each unit. */
  request?: string;
  web_search?: string;
}>;

export type ListedPrices = 'usd-per-token' | 'usd-per-million' | 'metadata-per-million';

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
  const { tokens, units, perMillion } = FORMS[form];
  const named = (names: Readonly<Record<string, string>>, factor: number) =>
    Object.entries(names).flatMap(([name, key]) => {
      const price = decimal(stated[name], factor);
      // Lists also say zero for prices that do not apply; the two required prices may be zero.
      const isNothing = price === null || (price === '0' && key !== 'prompt' && key !== 'completion');
      return isNothing ? [] : [[key, price] as const];
    });
  const { prompt, completion, ...others } = Object.fromEntries([...named(tokens, perMillion), ...named(units, 1)]);
  return prompt === undefined || completion === undefined ? null : { prompt, completion, ...others };
}

type Form = Readonly<{
  tokens: Readonly<Record<string, keyof ListedPricing>>;
  units: Readonly<Record<string, keyof ListedPricing>>;
  /** How many of the list's units are a million tokens. */
  perMillion: number;
}>;

const FORMS: Readonly<Record<ListedPrices, Form>> = {
  'usd-per-token': {
    tokens: {
      ...{ prompt: 'prompt', completion: 'completion' },
      ...{ input_cache_read: 'cache_read', input_cache_write: 'cache_write' },
    },
    units: { request: 'request', web_search: 'web_search' },
    perMillion: 1_000_000,
  },
  'usd-per-million': {
    tokens: { input: 'prompt', output: 'completion', cached_input: 'cache_read' },
    units: {},
    perMillion: 1,
  },
  'metadata-per-million': {
    tokens: { input_tokens: 'prompt', output_tokens: 'completion', cache_read_tokens: 'cache_read' },
    units: {},
    perMillion: 1,
  },
};

/** Null for a value that is not a price; a negative one stands for a variable price. */
function decimal(value: unknown, factor: number): string | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number) || number < 0 || number > 1_000_000) return null;
  return (number * factor).toFixed(9).replace(/\.?0+$/, '');
}
