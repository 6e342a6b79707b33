// The rows of routes.ts: paths without parameters are looked up directly, a router finds the others. What it decodes is
// checked afterwards, because it would accept an encoded letter as the letter. HEAD is answered by the row of GET, unless
// it has one of its own: monitors ask so whether something is there, and Node leaves the body out.

import createRouter, { type HTTPMethod } from 'find-my-way';
import { assert } from '../platform/assert.ts';
import type { RouteRow } from './exchange.ts';
import { matchesLiterally } from './target.ts';

type RouteMatch = Readonly<{ route: RouteRow; params: Readonly<Record<string, string | undefined>> }>;

export type RouteTable = Readonly<{
  find(method: string, path: string): RouteMatch | null;
  /** The methods that the path answers, for `Allow`. */
  methodsOf(path: string): string[];
}>;

/** Signed tokens are sent in paths; the limit on headers bounds them anyway. */
const PARAM_LENGTH_MAX = 4_096;

export function createRouteTable(rows: readonly RouteRow[]): RouteTable {
  const router = createRouter({ maxParamLength: PARAM_LENGTH_MAX, querystringParser: () => undefined });
  const methods = new Set<string>();
  /** By path and method: the rows without parameters, which are nearly all that is called. */
  const plain = new Map<string, Map<string, RouteMatch>>();
  for (const row of rows) {
    methods.add(row.method);
    if (HAS_PARAMETER.test(row.path)) router.on(row.method, row.path, ignoreRequest, row);
    else addPlain(plain, row);
  }

  const find = (method: string, path: string): RouteMatch | null =>
    findRow(method, path) ?? (method === 'HEAD' ? findRow('GET', path) : null);
  const findRow = (method: string, path: string): RouteMatch | null => {
    const match = plain.get(path)?.get(method);
    if (match !== undefined) return match;
    const found = router.find(method as HTTPMethod, path);
    // With a slash at its end it is the same route, unless there is another.
    if (found === null) return path.length > 1 && path.endsWith('/') ? findRow(method, path.slice(0, -1)) : null;
    const route: RouteRow = found.store;
    if (path.includes('%') && !matchesLiterally(path, route.path)) return null;
    return { route, params: found.params };
  };
  return { find, methodsOf: (path) => [...methods].filter((method) => find(method, path) !== null) };
}

const HAS_PARAMETER = /[:*]/;
const NO_PARAMS = {};

function addPlain(plain: Map<string, Map<string, RouteMatch>>, route: RouteRow): void {
  const matches = plain.get(route.path) ?? new Map<string, RouteMatch>();
  assert(!matches.has(route.method), `${route.method} ${route.path} has one row`);
  matches.set(route.method, { route, params: NO_PARAMS });
  plain.set(route.path, matches);
}

/** The router requires a handler; the server calls ours from the row. */
function ignoreRequest(): void {}

/** Below it every path has a twin. */
const TWIN_PREFIX = '/api';

/** The calls of models that need no more than a look at the path, by the paths as clients send them. */
export function modelPaths(rows: readonly RouteRow[]): ReadonlyMap<string, RouteRow> {
  const byPath = new Map<string, RouteRow>();
  for (const row of rows) {
    if (row.access !== 'model' || row.method !== 'POST' || HAS_PARAMETER.test(row.path)) continue;
    byPath.set(row.path, row);
    if (row.path.startsWith('/v1/')) byPath.set(TWIN_PREFIX + row.path, row);
  }
  return byPath;
}
