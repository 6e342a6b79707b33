// The gateway's own table of routes, read without starting anything: the parts that its handlers are made from are
// replaced by an object that answers every question with itself, and no handler is ever called.

import { createRoutes } from '../../src/endpoints/routes.ts';
import type { Services } from '../../src/endpoints/services.ts';
import type { RouteRow } from '../../src/http/exchange.ts';

const standIn: unknown = new Proxy(() => standIn, {
  get: (_target, name) => (typeof name === 'symbol' ? undefined : standIn),
});

export const routeList: readonly RouteRow[] = createRoutes(standIn as Services);

/** What a row is called in the tables of expectations. */
export const routeName = ({ method, path }: Pick<RouteRow, 'method' | 'path'>): string => `${method} ${path}`;
