// The routes of the API document.

import type { RouteRow } from '../../http/exchange.ts';
import { createDocs, type DocsServices } from './serve-docs.ts';

// biome-ignore format: a table reads best with one row a line.
export function docsRoutes(services: DocsServices, rows: () => readonly RouteRow[]): readonly RouteRow[] {
  const docs = createDocs(services, rows);
  return [
    { method: 'GET', path: '/openapi.json', access: 'public', handle: docs.readOpenApi },
    { method: 'GET', path: '/docs', access: 'public', handle: docs.readPage },
    { method: 'GET', path: '/docs/:file', access: 'public', handle: docs.readFile },
  ];
}
