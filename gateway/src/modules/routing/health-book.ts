// The health of every route and every provider key, in this process. Routing sees only what it hands out, so figures
// that several processes share can take its place.

import type { Provider } from '../../canonical/model.ts';
import { KeyHealth } from './key-health.ts';
import { type HealthEvents, RouteHealth } from './route-health.ts';

export type HealthBook = Readonly<{
  route(provider: Provider, upstreamModel: string): RouteHealth;
  key(provider: Provider): KeyHealth;
}>;

/** A catalog is far smaller; this bounds what many catalogs in the life of a process leave behind. */
const ENTRIES_MAX = 20_000;

export function createHealthBook(events: HealthEvents): HealthBook {
  const routes = new Map<string, RouteHealth>();
  const keys = new Map<string, KeyHealth>();
  return {
    // The address and the key are part of the identity: whoever corrects one starts with a clean slate.
    route: ({ name, baseUrl, apiKey }, upstreamModel) =>
      findOrAdd(
        routes,
        [name, baseUrl, apiKey, upstreamModel].join('\n'),
        () => new RouteHealth({ providerName: name, upstreamModel }, events),
      ),
    key: ({ name, baseUrl, apiKey }) => findOrAdd(keys, [name, baseUrl, apiKey].join('\n'), () => new KeyHealth()),
  };
}

export function findOrAdd<Entry>(entries: Map<string, Entry>, name: string, make: () => Entry): Entry {
  const known = entries.get(name);
  if (known !== undefined) return known;
  if (entries.size >= ENTRIES_MAX) {
    const [oldest] = entries.keys();
    if (oldest !== undefined) entries.delete(oldest);
  }
  const made = make();
  entries.set(name, made);
  return made;
}
