// Brings the spellings that an operator may use to the one of the contract: prices as numbers become their shortest
// decimal text, dates become text, trailing slashes are removed. It runs before validation, so it accepts any shape.

import { dayOf } from '../../canonical/calendar.ts';
import { isJsonObject, type JsonObject } from '../../canonical/json.ts';

export function toNormalForm(document: JsonObject): JsonObject {
  return replaceKeys(document, {
    providers: (providers) => mapValues(providers, normalProvider),
    models: (models) => mapValues(models, normalModel),
    markups: (markups) => mapValues(markups, normalMarkup),
    limits: (limits) => replaceKeys(limits, { unpaid_cost_usd: decimalText }),
    accounts: (accounts) => replaceKeys(accounts, { welcome_credit_usd: decimalText }),
    moderation: (moderation) => replaceKeys(moderation, { base_url: withoutTrailingSlash }),
  });
}

/** All settings of a protocol are text; timeouts belong to the provider and not to its protocol. */
function normalProvider(provider: unknown): unknown {
  if (!isJsonObject(provider)) return provider;
  const { timeouts, api_keys: keys, ...settings } = provider;
  const normal = mapValues(replaceKeys(settings, { base_url: withoutTrailingSlash }), settingText) as JsonObject;
  return {
    ...normal,
    ...(keys === undefined ? {} : { api_keys: mapValues(keys, normalKey) }),
    ...(timeouts === undefined ? {} : { timeouts }),
  };
}

/** A key without a weight may be written as plain text. */
const normalKey = (key: unknown): unknown => (typeof key === 'string' ? { key } : key);

function normalModel(model: unknown): unknown {
  return replaceKeys(model, {
    pricing: normalPrices,
    pricing_tiers: normalTiers,
    extras: normalExtras,
    deprecation_date: dateText,
    video: normalVideo,
    routes: (routes) =>
      mapItems(routes, (route) =>
        replaceKeys(route, { pricing: normalPrices, pricing_tiers: normalTiers, extras: normalExtras }),
      ),
  });
}

const normalMarkup = (markup: unknown): unknown => replaceKeys(markup, { percent: decimalText, add: normalPrices });

const normalPrices = (pricing: unknown): unknown => mapValues(pricing, decimalText);

const normalExtras = (extras: unknown): unknown =>
  mapValues(extras, (extra) => (isJsonObject(extra) ? normalPrices(extra) : decimalText(extra)));

const normalVideo = (video: unknown): unknown =>
  replaceKeys(video, { resolution_multipliers: normalPrices, audio_multiplier: decimalText });

const normalTiers = (tiers: unknown): unknown => mapItems(tiers, normalTier);

function normalTier(tier: unknown): unknown {
  if (!isJsonObject(tier)) return tier;
  const { above_prompt_tokens: threshold, ...prices } = tier;
  return { above_prompt_tokens: threshold, ...(normalPrices(prices) as JsonObject) };
}

/** The shortest decimal text of a number, without an exponent: what the operator typed, up to 15 digits. */
export function decimalText(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'number' || !Number.isFinite(value)) return value;
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(String(value));
  if (match === null) return String(value);
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponentText);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  const padded = digits.padEnd(point, '0');
  const decimals = padded.slice(point);
  return `${sign}${padded.slice(0, point)}${decimals === '' ? '' : `.${decimals}`}`;
}

function dateText(value: unknown): unknown {
  return value instanceof Date && !Number.isNaN(value.getTime()) ? dayOf(value.getTime()) : value;
}

/** The number of a project becomes text, and the JSON of a service account may be written as a mapping. */
function settingText(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  return isJsonObject(value) ? JSON.stringify(value) : value;
}

function withoutTrailingSlash(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/\/+$/, '') : value;
}

type Replace = (value: unknown) => unknown;

function replaceKeys(value: unknown, replacements: Readonly<Record<string, Replace>>): JsonObject {
  if (!isJsonObject(value)) return value as JsonObject;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const replace = Object.hasOwn(replacements, key) ? replacements[key] : undefined;
      return [key, replace === undefined ? item : replace(item)];
    }),
  );
}

function mapValues(value: unknown, map: Replace): unknown {
  return isJsonObject(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, map(item)])) : value;
}

function mapItems(value: unknown, map: Replace): unknown {
  return Array.isArray(value) ? value.map(map) : value;
}
