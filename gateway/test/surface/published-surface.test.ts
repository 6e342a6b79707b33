// Keeps the published routes: one that disappears, moves, or asks for another credential breaks clients, so it must be
// changed here on purpose. New routes are added to the list with it.

import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createRoutes } from '../../src/endpoints/routes.ts';
import type { Services } from '../../src/endpoints/services.ts';

const LIST = new URL('published-surface.txt', import.meta.url);

/** Handlers are made, never called, so what they would use may be anything. */
const unused = new Proxy(() => unused, { get: (_target, name) => (name === 'then' ? undefined : unused) }) as unknown;

test('VER-07 the published routes are the ones on the list', async () => {
  const services = { consoleFolder: '/nowhere' } as Record<string, unknown>;
  const any = new Proxy(services, { get: (target, name) => target[String(name)] ?? unused }) as unknown as Services;
  const routes = createRoutes(any).map(
    ({ method, path, access }) => `${access.padEnd(10)} ${method.padEnd(6)} ${path}`,
  );
  const listed = `${routes.toSorted().join('\n')}\n`;
  if (process.env.TOLLGATE_UPDATE_SURFACE === 'yes') await writeFile(LIST, listed);
  expect(listed).toBe(await readFile(LIST, 'utf8'));
});

test('VER-01 VER-03 VER-08 one version, what belongs to the site beside it, and nothing that tells of changes', async () => {
  const rows = (await readFile(LIST, 'utf8')).trim().split('\n');
  const paths = rows.map((row) => row.split(/\s+/)[2] ?? '');
  // Every segment that could be a version is this one, except an address that a vendor's client insists on, and SCIM,
  // which has versions of its own.
  const others = paths.filter((path) => /\/(?:v(?!1(?:\/|$))\d|\d{4}-\d\d)/.test(path));
  expect(others.filter((path) => !path.startsWith('/scim/v2/'))).toEqual(['/v2/rerank']);
  expect(
    paths.filter((path) => /reports|allowed-models|circuit-breaker|edu/.test(path) && /^\/v1\/(?!account)/.test(path)),
  ).toEqual([]);
  expect(paths.filter((path) => /changelog|feed(?!s|Id)|subscription|events/.test(path))).toEqual([]);
  // Those that payment providers call, and nobody else.
  expect(rows.filter((row) => row.includes('webhook'))).toEqual(['public     POST   /webhooks/:provider']);
});
