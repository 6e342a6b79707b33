// A body that is in the upstream's own format already. The upstream refuses fields it does not know, so the gateway's
// own are taken out; everything else, cache markers and fields of next year included, goes as it was sent.

import type { JsonObject } from '../../../canonical/json.ts';

/** Wishes that the gateway itself fulfils. */
const GATEWAY_FIELDS = ['models', 'provider', 'transforms', 'plugins', 'route', 'usage', 'session_id'];

export function encodeMessagesBody(body: JsonObject, upstreamModel: string): JsonObject {
  // Members set to undefined are left out of the text, which is cheaper than deleting them from the copy.
  const copy: JsonObject = { ...body, model: upstreamModel };
  for (const field of GATEWAY_FIELDS) {
    if (copy[field] !== undefined) copy[field] = undefined;
  }
  return copy;
}
