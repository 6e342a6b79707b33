// The health of every route and every provider key, in this process. Measurements of a route are exchanged with other
// processes; whether a route may be used, each process decides by its own experience.

import { createHash } from 'node:crypto';
import type { Provider } from '../../canonical/model.ts';
import { KeyHealth } from './key-health.ts';
import { Keyring } from './keyring.ts';
import { RouteFigures } from './route-figures.ts';
import { type HealthEvents, RouteHealth } from './route-health.ts';

export type HealthBook = Readonly<{
  route(provider: Provider, upstreamModel: string): RouteHealth;
  key(provider: Provider): KeyHealth;
  routes(): Iterable<RouteHealth>;
  /** By a name that is the same in every process and does not reveal the provider's key. */
  allFigures(): Iterable<readonly [string, RouteFigures]>;
  /** Also of a route that this process has not asked yet. */
  figures(name: string): RouteFigures;
}>;

/** A catalog has far fewer; this bounds the entries that many catalogs leave during the life of a process. */
const ENTRIES_MAX = 20_000;

export function createHealthBook(events: HealthEvents): HealthBook {
  const routes = new Map<string, RouteHealth>();
  const keys = new Map<string, KeyHealth>();
  const figuresByName = new Map<string, RouteFigures>();
  const figures = (name: string): RouteFigures => findOrAdd(figuresByName, name, () => new RouteFigures());
  const key = (provider: Provider): KeyHealth =>
    findOrAdd(keys, identityOf(provider).join('\n'), () => new KeyHealth());
  return {
    // The address and the key are part of the identity, so a route whose key or address was corrected starts anew.
    route(provider, upstreamModel) {
      const { name, keys: several } = provider;
      const identity = [...identityOf(provider), upstreamModel].join('\n');
      return findOrAdd(routes, identity, () => {
        const publicName = createHash('sha256').update(identity).digest('base64url');
        const ring =
          several === undefined ? null : new Keyring(several.map((it) => ({ ...it, health: key(it.provider) })));
        return new RouteHealth({ providerName: name, upstreamModel }, events, figures(publicName), ring);
      });
    },
    key,
    routes: () => routes.values(),
    allFigures: () => figuresByName.entries(),
    figures,
  };
}

const identityOf = ({ name, baseUrl, apiKey, keys = [], settings = {} }: Provider): readonly string[] => [
  name,
  baseUrl,
  apiKey,
  ...keys.flatMap((key) => [key.name, String(key.weight), key.provider.apiKey]),
  ...Object.values(settings),
];

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
