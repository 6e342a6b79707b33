// Which prices a change of the config touches, model by model, and by how much.

import type { ModelEntry } from '../../../../../gateway/src/contract/config.ts';

export type PriceChange = Readonly<{ model: string; price: string; before: string | null; after: string | null }>;

type Models = Readonly<Record<string, Pick<ModelEntry, 'pricing'>>>;

export function priceChanges(before: unknown, after: unknown): readonly PriceChange[] {
  const [old, now] = [modelsOf(before), modelsOf(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((model) => {
    const [oldPrices, newPrices] = [pricesOf(old[model]), pricesOf(now[model])];
    return [...new Set([...Object.keys(oldPrices), ...Object.keys(newPrices)])].flatMap((price) => {
      const change = { model, price, before: oldPrices[price] ?? null, after: newPrices[price] ?? null };
      return change.before === change.after ? [] : [change];
    });
  });
}

/** The typed document may be anything until the gateway has checked it. */
function modelsOf(document: unknown): Models {
  const models = isObject(document) ? document.models : null;
  return isObject(models) ? (models as Models) : {};
}

function pricesOf(entry: unknown): Readonly<Record<string, string>> {
  const pricing = isObject(entry) ? entry.pricing : null;
  if (!isObject(pricing)) return {};
  return Object.fromEntries(Object.entries(pricing).map(([name, price]) => [name, String(price)]));
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const NAMES: Readonly<Record<string, string>> = {
  prompt: 'input, per 1M tokens',
  completion: 'output, per 1M tokens',
  cache_read: 'cached input, per 1M tokens',
  cache_write: 'cache write, per 1M tokens',
  image: 'per picture',
  video_second: 'per second of video',
  audio_second: 'per second of audio',
  character: 'per character',
  request: 'per request',
};

export const priceName = (price: string): string => NAMES[price] ?? price.replaceAll('_', ' ');

/** By how much a price rises or falls, as `+10 %`; null where one of them is missing, not a number or zero. */
export function changeShare({ before, after }: PriceChange): string | null {
  const [old, now] = [Number(before), Number(after)];
  if (before === null || after === null || !(old > 0) || Number.isNaN(now)) return null;
  const percent = ((now - old) / old) * 100;
  return `${percent > 0 ? '+' : '−'}${Math.abs(percent).toFixed(Math.abs(percent) < 10 ? 1 : 0)} %`;
}
