// What a caller wants an upstream to add to a call. Where a plugin goes, and whether it can, is for each protocol to say.

import type { JsonObject } from './json.ts';

export const NO_PLUGINS: readonly JsonObject[] = [];

export const WEB_PLUGIN: JsonObject = { id: 'web' };

/** Also true where the caller has switched it off in so many words. */
export function mentionsWeb(plugins: readonly JsonObject[]): boolean {
  return plugins.some(({ id }) => id === WEB_PLUGIN.id);
}

export function wantsWeb(plugins: readonly JsonObject[]): boolean {
  return plugins.some(({ id, enabled }) => id === WEB_PLUGIN.id && enabled !== false);
}
