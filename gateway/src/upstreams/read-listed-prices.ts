// The prices in a vendor's list of models. A price that makes no sense counts as not stated, and of several that may
// apply the dearest does: what is cheaper at some hours must not be sold at that price all day.

import { isJsonObject, type JsonObject, listOrEmpty } from '../canonical/json.ts';

export type ListedPricing = Readonly<{
  /** USD per million tokens, as exact decimals, and in USD for each unit. */
  base: Priced;
  /** In USD per token, ascending. */
  tiers: readonly (TokenPrices & Readonly<{ above_prompt_tokens: number }>)[];
  /** What is not text, and thinking, per million tokens. */
  apart: Readonly<Partial<Record<Apart, string>>>;
}>;

type TokenPrices = Readonly<
  Record<'prompt' | 'completion', string> & Partial<Record<'cache_read' | 'cache_write' | 'cache_write_1h', string>>
>;
type Priced = TokenPrices & Readonly<{ request?: string; web_search?: string }>;
type Apart = 'audio' | 'image' | 'audio_output' | 'image_output' | 'reasoning';

export type ListedPrices = 'usd-per-token' | 'usd-per-million' | 'metadata-per-million';

/** How many decimals are kept of a price for a million tokens or for one unit, and of a price for one token. */
const PLACES = 9;
const TOKEN_PLACES = 15;
const PRICE_MAX = 1_000_000;
const TOKENS_MAX = 1_000_000_000;
const TIERS_MAX = 16;

type Names = Readonly<Record<string, string>>;
type Form = Readonly<{
  tokens: Names;
  units: Names;
  apart: Names;
  /** How many of the list's units are a million tokens. */
  perMillion: number;
}>;

const FORMS: Readonly<Record<ListedPrices, Form>> = {
  'usd-per-token': {
    tokens: {
      ...{ prompt: 'prompt', completion: 'completion', input_cache_read: 'cache_read' },
      ...{ input_cache_write: 'cache_write', input_cache_write_1h: 'cache_write_1h' },
    },
    units: { request: 'request', web_search: 'web_search' },
    apart: {
      ...{ audio: 'audio', image_token: 'image', audio_output: 'audio_output', image_output: 'image_output' },
      internal_reasoning: 'reasoning',
    },
    perMillion: 1_000_000,
  },
  'usd-per-million': {
    tokens: { input: 'prompt', output: 'completion', cached_input: 'cache_read' },
    ...{ units: {}, apart: {}, perMillion: 1 },
  },
  'metadata-per-million': {
    tokens: { input_tokens: 'prompt', output_tokens: 'completion', cache_read_tokens: 'cache_read' },
    ...{ units: {}, apart: {}, perMillion: 1 },
  },
};

type Amounts = Readonly<Record<string, number>>;

/** Null where the list does not price the model. */
export function readListedPrices(entry: JsonObject, metadata: JsonObject, name: ListedPrices): ListedPricing | null {
  const form = FORMS[name];
  const stated = name === 'metadata-per-million' ? metadata.pricing : entry.pricing;
  if (!isJsonObject(stated)) return null;
  const overrides = readOverrides(stated.overrides, form);
  const ordinary = amountsIn(stated, form.tokens);
  const at = (tokens: number): TokenPrices | null => {
    const applicable = overrides.filter(({ least }) => least <= tokens);
    const certain = applicable.filter(({ isCertain }) => isCertain).reduce(replaced, ordinary);
    const amounts = applicable.filter(({ isCertain }) => !isCertain).reduce(dearest, certain);
    return withBoth(written(amounts, tokens === 0 ? form.perMillion : form.perMillion / 1_000_000, placesOf(tokens)));
  };
  const base = at(0);
  if (base === null || isRented(stated, base)) return null;
  const steps = [...new Set(overrides.map(({ least }) => least))].filter((least) => least > 0).slice(0, TIERS_MAX);
  const tiers = steps.flatMap((least) => {
    const prices = at(least);
    return prices === null ? [] : [{ above_prompt_tokens: least, ...prices }];
  });
  const units = written(amountsIn(stated, form.units), 1, PLACES);
  const apart = written(amountsIn(stated, form.apart), form.perMillion, PLACES);
  return { base: { ...base, ...units }, tiers, apart };
}

/** A model that is rented by the hour has no price for a call. */
const isRented = ({ hourly }: JsonObject, { prompt, completion }: TokenPrices): boolean =>
  Number(hourly ?? 0) > 0 && prompt === '0' && completion === '0';

const placesOf = (tokens: number): number => (tokens === 0 ? PLACES : TOKEN_PLACES);

type Override = Readonly<{ least: number; amounts: Amounts; isCertain: boolean }>;

/** Prices from a length of the prompt on, and those that hold on some other condition, such as at certain hours. */
function readOverrides(value: unknown, { tokens }: Form): readonly Override[] {
  const overrides = listOrEmpty(value)
    .filter(isJsonObject)
    .map((entry): Override => {
      const { min_prompt_tokens: least, ...others } = entry;
      const isLength = Number.isSafeInteger(least) && Number(least) > 0 && Number(least) <= TOKENS_MAX;
      const isCertain = isLength && Object.keys(others).every((name) => Object.hasOwn(tokens, name));
      return { least: isLength ? Number(least) : 0, amounts: amountsIn(entry, tokens), isCertain };
    });
  return overrides.sort((left, right) => left.least - right.least);
}

const replaced = (before: Amounts, { amounts }: Override): Amounts => ({ ...before, ...amounts });

function dearest(before: Amounts, { amounts }: Override): Amounts {
  const dearer = Object.entries(amounts).filter(([key, amount]) => amount > (before[key] ?? 0));
  return { ...before, ...Object.fromEntries(dearer) };
}

function amountsIn(stated: JsonObject, names: Names): Amounts {
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, key]) => {
      const amount = amountOf(stated[name]);
      // Lists also say zero for prices that do not apply; the two required prices may be zero.
      const isNothing = amount === null || (amount === 0 && key !== 'prompt' && key !== 'completion');
      return isNothing ? [] : [[key, amount] as const];
    }),
  );
}

/** Null for a value that is not a price; a negative one stands for a variable price. */
function amountOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && number >= 0 && number <= PRICE_MAX ? number : null;
}

const written = (amounts: Amounts, factor: number, places: number): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(amounts).map(([key, amount]) => [key, decimal(amount * factor, places)]));

const decimal = (value: number, places: number): string => value.toFixed(places).replace(/\.?0+$/, '');

function withBoth({ prompt, completion, ...others }: Readonly<Record<string, string>>): TokenPrices | null {
  return prompt === undefined || completion === undefined ? null : { prompt, completion, ...others };
}
