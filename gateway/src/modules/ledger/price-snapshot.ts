// A price list as it is kept with the charges it made: its JSON text and an id derived from that text. Equal lists have
// equal ids in every process, so each is stored once and an entry carries only the id.

import { createHash } from 'node:crypto';
import { extrasOfList } from '../../canonical/extras.ts';
import type { PriceList } from '../../canonical/price.ts';

export type PriceSnapshot = Readonly<{ id: string; text: string }>;

const snapshots = new WeakMap<PriceList, PriceSnapshot>();

function makeSnapshot(list: PriceList): PriceSnapshot {
  const prices = Object.entries(list)
    .filter(([, price]) => price !== null)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, price]) => [name, String(price)]);
  const extras = extrasOfList(list);
  const named = extras.length === 0 ? prices : [['extras', extras.join(' ')], ...prices];
  const text = JSON.stringify(Object.fromEntries(named));
  return { id: createHash('sha256').update(text).digest('hex').slice(0, 32), text };
}

/** Made once for each list object: the catalog's lists live as long as the catalog, and calls share them. */
export function priceSnapshot(list: PriceList): PriceSnapshot {
  const known = snapshots.get(list);
  if (known !== undefined) return known;
  const made = makeSnapshot(list);
  snapshots.set(list, made);
  return made;
}
