// What an answer says of how it was made: the tier, the speed and the place that it was served from, in the usage record or
// beside it. A dearer one than was asked for may have been used, where the account at the provider is set up that way.

import { isJsonObject } from './json.ts';
import type { Usage } from './usage.ts';

const NAMES = ['service_tier', 'speed', 'inference_geo'] as const;
/** What needs no saying. */
const ORDINARY: ReadonlySet<string> = new Set(['auto', 'default', 'standard', 'global', 'not_available', '']);
const LENGTH_MAX = 64;

/** The usage with the extras that the record names, as a request would ask for them. */
export function withStatedExtras(usage: Usage | null, record: unknown): Usage | null {
  if (usage === null || !isJsonObject(record)) return usage;
  let extras: string[] | null = null;
  for (const name of NAMES) {
    const value = record[name];
    if (typeof value !== 'string' || value.length > LENGTH_MAX || ORDINARY.has(value)) continue;
    extras ??= [];
    extras.push(`${name}=${value}`);
  }
  return extras === null ? usage : { ...usage, extras: [...(usage.extras ?? []), ...extras] };
}
