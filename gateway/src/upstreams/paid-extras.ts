// Extras that survive translation. Fields such as `service_tier` mean the same in several formats; a call that is
// written anew in one of those formats keeps them. All other extras are lost, and what is not sent must not change the
// price: `pipeline/route.ts` prices a call by what this file says is carried.

import type { Format } from '../canonical/format.ts';
import type { JsonObject } from '../canonical/json.ts';
import type { Candidate } from '../canonical/model.ts';
import type { ConversationRequest } from '../canonical/request.ts';
import { isOrdinaryExtra } from '../canonical/usage.ts';

/** By the format of the provider; a protocol's own format has none. */
const CARRIED: ReadonlyMap<Format, readonly string[]> = new Map<Format, readonly string[]>([
  ['chat', ['service_tier']],
  ['responses', ['service_tier']],
  ['messages', ['service_tier', 'speed', 'inference_geo']],
]);
/** Every protocol asks for it in its own words. */
const THINKING = 'thinking';

/** Those of the extras that a call of one format still asks for in another. */
export function carriedExtras(extras: readonly string[], from: Format, to: Format): readonly string[] {
  if (from === to || extras.length === 0) return extras;
  const fields = CARRIED.get(to) ?? [];
  return extras.filter((extra) => extra === THINKING || fields.some((name) => extra.startsWith(`${name}=`)));
}

/**
 * The fields of the caller's body that are sent in this format as well. A value without a price has been replaced by an
 * ordinary one before, so every other value has been paid for. A customer's own upstream gets only what its format
 * needs, because nobody has checked that it knows these fields.
 */
export function paidExtras({ body }: ConversationRequest, { own }: Candidate, format: Format): JsonObject {
  const fields: JsonObject = {};
  if (own !== undefined) return fields;
  for (const name of CARRIED.get(format) ?? []) {
    const value = body[name];
    if (typeof value === 'string' && !isOrdinaryExtra(value)) fields[name] = value;
  }
  return fields;
}
