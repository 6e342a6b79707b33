// Inspects a body once, before a provider is chosen: refuses what no provider may get, and finds out whether anything
// in it depends on the provider. Most bodies have nothing of the kind, and cost one walk without an allocation.

import type { Format } from '../../canonical/format.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { type CacheKept, type Inspection, NO_EXTRAS, PLAIN } from '../../canonical/request.ts';
import { BodyWalk } from './forward-body.ts';
import type { ForwardTerms } from './terms.ts';
import { asksForThinking } from './thinking.ts';

/** The extras of the body that is being inspected, of which there is never more than one, and its wish for a cache. */
const asked: string[] = [];
let cacheKept: CacheKept | null = null;

/** The strictest terms: a body that does not change under these changes under none. */
const NARROWEST: ForwardTerms = {
  offers(extra) {
    asked.push(extra);
    return false;
  },
  onCacheMark() {
    cacheKept ??= 'minutes';
  },
  get hasHourPrice() {
    cacheKept = 'hour';
    return false;
  },
  hasTiers: false,
  searches: false,
  hostedTools: false,
  hash: () => '',
};

const walk = new BodyWalk(NARROWEST);

const THINKING = 'thinking';

export function inspectBody(body: JsonObject, format: Format): Inspection {
  asked.length = 0;
  cacheKept = null;
  const isPlain = walk.body(body, format) === body;
  if (asksForThinking(body)) asked.push(THINKING);
  if (asked.length === 0 && cacheKept === null) return isPlain ? PLAIN : NOT_PLAIN;
  return { isPlain, extras: [...asked], ...(cacheKept === null ? {} : { cacheKept }) };
}

const NOT_PLAIN: Inspection = { isPlain: false, extras: NO_EXTRAS };
