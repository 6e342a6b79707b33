// Prices in the words people compare by: tokens per million, everything else per unit. Prices are decimal text and
// stay text; a tier's price per single token is moved six places to the left of the point by shifting the digits.

import type { Model } from '../../api/models.ts';

type Pricing = Model['pricing'];

/** `0.0000025` (USD per token) becomes `2.5` (USD per million), digit by digit. */
export function perMillion(perToken: string): string {
  const [whole = '0', fraction = ''] = perToken.split('.');
  const digits = `${whole}${fraction.padEnd(6, '0')}`;
  const point = whole.length + 6;
  const left = digits.slice(0, point).replace(/^0+(?=\d)/, '');
  const right = digits.slice(point).replace(/0+$/, '');
  return right === '' ? left : `${left}.${right}`;
}

/** `2.5` is shown as $2.50, `3` and `3.00` as $3; a price of more digits keeps them all. */
export function priceText(price: string): string {
  const [whole = '0', fraction] = price.split('.');
  return fraction === undefined || /^0*$/.test(fraction) ? `$${whole}` : `$${whole}.${fraction.padEnd(2, '0')}`;
}

const UNITS: readonly (readonly [keyof Pricing, string])[] = [
  ['image', 'per image'],
  ['video_second', 'per second of video'],
  ['audio_second', 'per second of audio'],
  ['character', 'per character'],
  ['search', 'per search of documents'],
  ['web_search', 'per search of the web'],
  ['hosted_tool', 'per use of a provider’s tool'],
  ['request', 'per request'],
];

const BY_TOKEN = [
  ['prompt', 'Input'],
  ['completion', 'Output'],
  ['cache_read', 'Cached input'],
  ['cache_write', 'Cache write'],
  ['cache_write_1h', 'Cache write for an hour'],
] as const;

/** Every price of a model, each with what it is for. */
export function priceLines(pricing: Pricing): readonly (readonly [string, string])[] {
  const lines: (readonly [string, string])[] = [];
  const isByToken = pricing.prompt !== '0' || pricing.completion !== '0';
  const perUnit = UNITS.filter(([key]) => pricing[key] !== undefined);
  if (isByToken || perUnit.length === 0) {
    lines.push(
      ['Input, per 1M tokens', priceText(pricing.prompt)],
      ['Output, per 1M tokens', priceText(pricing.completion)],
    );
  }
  for (const [key, name] of BY_TOKEN.slice(2)) {
    const price = pricing[key];
    if (price !== undefined) lines.push([`${name}, per 1M tokens`, priceText(price)]);
  }
  for (const [key, text] of perUnit)
    lines.push([text.charAt(0).toUpperCase() + text.slice(1), priceText(pricing[key] ?? '')]);
  return lines;
}

type Tier = NonNullable<Model['pricing_tiers']>[number];

/** The columns of a table of tiers: every price that any of them has. */
export const tierColumns = (tiers: readonly Tier[]): readonly (readonly [(typeof BY_TOKEN)[number][0], string])[] =>
  BY_TOKEN.filter(([key]) => tiers.some((tier) => tier[key] !== undefined)).map(([key, name]) => [
    key,
    `${name} per 1M`,
  ]);

type Extras = NonNullable<Model['extras']>;

/** The extras, and how each changes the price. */
export function extraLines(extras: Extras): readonly (readonly [name: string, price: string])[] {
  return Object.entries(extras).map(([name, extra]) => {
    if (typeof extra === 'string') return [name, extra === '1' ? 'no extra charge' : `${extra} times the price`];
    const prices = Object.entries(extra).map(([key, price]) => `${nameOf(key)} ${priceText(price)}`);
    return [name, prices.join(', ')];
  });
}

function nameOf(key: string): string {
  const token = BY_TOKEN.find(([known]) => known === key);
  if (token !== undefined) return `${token[1].toLowerCase()} per 1M`;
  return UNITS.find(([known]) => known === key)?.[1] ?? key.replaceAll('_', ' ');
}

/** The short form for lists: `$0.15 in · $0.60 out`, or the first price per unit. */
export function priceSummary(pricing: Pricing): string {
  if (pricing.prompt !== '0' || pricing.completion !== '0') {
    return pricing.completion === '0'
      ? `${priceText(pricing.prompt)} per 1M`
      : `${priceText(pricing.prompt)} in · ${priceText(pricing.completion)} out per 1M`;
  }
  const unit = UNITS.find(([key]) => pricing[key] !== undefined);
  return unit === undefined ? 'Free' : `${priceText(pricing[unit[0]] ?? '')} ${unit[1]}`;
}
