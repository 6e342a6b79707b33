// Lays one config document over another: what the upper one states is taken, what it does not mention stays. Routes of
// a model are told apart by provider and upstream name, so that a file which adds a route removes none.

import { isJsonObject, type JsonObject } from '../../canonical/json.ts';

export function mergeDocuments(below: JsonObject, above: JsonObject): JsonObject {
  const merged: [string, unknown][] = Object.entries(below).map(([key, value]) => [
    key,
    Object.hasOwn(above, key) ? mergeValues(key, value, above[key]) : value,
  ]);
  const added = Object.entries(above).filter(([key]) => !Object.hasOwn(below, key));
  // `fromEntries` defines properties, so a key such as `__proto__` stays an ordinary key.
  return Object.fromEntries([...merged, ...added]);
}

function mergeValues(key: string, below: unknown, above: unknown): unknown {
  if (isJsonObject(below) && isJsonObject(above)) return mergeDocuments(below, above);
  if (key === 'routes' && Array.isArray(below) && Array.isArray(above)) return mergeRoutes(below, above);
  return above;
}

function mergeRoutes(below: readonly unknown[], above: readonly unknown[]): unknown[] {
  const stated = new Set(above.map(routeName));
  return [...below.filter((route) => !stated.has(routeName(route))), ...above];
}

const routeName = (route: unknown): string =>
  isJsonObject(route) ? JSON.stringify([route.provider, route.upstream_model ?? null]) : JSON.stringify(route);
