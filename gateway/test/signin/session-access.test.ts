// Where a session counts, tried on every route: exactly on the rows that say so. And where it counts, a change must
// come from this site, whatever else is right about it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RouteRow } from '../../src/http/exchange.ts';
import { routeList, routeName } from '../authorization/route-list.ts';
import type { Json } from '../harness.ts';
import type { Browser } from './browser.ts';
import { openTown, type Town } from './people.ts';

let town: Town;
let browser: Browser;

beforeAll(async () => {
  town = await openTown();
  ({ browser } = await town.operatorUser());
});

afterAll(() => town.close());

const SESSION_ACCESS: readonly RouteRow['access'][] = ['person', 'manager', 'session'];

const acceptsSession = ({ access }: RouteRow): boolean => SESSION_ACCESS.includes(access);
const isRead = ({ method }: RouteRow): boolean => method === 'GET' || method === 'HEAD';
const pathOf = ({ path }: RouteRow): string => path.replace(/:\w+/g, 'none').replace('*', 'none');
const named = (rows: readonly RouteRow[]) => rows.map((row) => ({ name: routeName(row), row }));

test('AUTH-15 the routes that the specification names accept a session', () => {
  const accepting = new Set(routeList.filter(acceptsSession).map(routeName));
  expect(accepting).toContain('PATCH /v1/keys/:id');
  expect(accepting).toContain('GET /v1/insights');
  expect(accepting).toContain('GET /v1/orgs');
  // Below /v1 no other route does, except the statement, which belongs to the account holder.
  const others = [...accepting].filter(
    (name) => / \/v1\//.test(name) && !/ \/v1\/(?:orgs|insights|statement|keys\/:id)/.test(name),
  );
  expect(others).toEqual([]);
});

describe('AUTH-15 elsewhere the cookie is no credential', () => {
  const rows = routeList.filter((row) => !acceptsSession(row) && row.access !== 'public');
  test.each(named(rows))('$name', async ({ row }) => {
    const answer = await browser.request(row.method, pathOf(row), isRead(row) ? undefined : {});
    expect(answer.status).toBe(401);
  });
});

describe('AUTH-15 reads with a session are let in', () => {
  test.each(named(routeList.filter((row) => acceptsSession(row) && isRead(row))))('$name', async ({ row }) => {
    const answer = await browser.get(pathOf(row));
    expect([401, 500]).not.toContain(answer.status);
    // Without the cookie the same request is nobody's.
    expect((await town.browser().get(pathOf(row))).status).toBe(401);
  });
});

describe('AUTH-15 a change with a session needs this site as its origin and a JSON body', () => {
  const forged: readonly [string, string | null, Record<string, string>][] = [
    ['no origin', null, {}],
    ['no origin, from the same site at most', null, { 'Sec-Fetch-Site': 'same-site' }],
    ['a hidden origin', 'null', {}],
    ['another site', 'https://evil.example', {}],
    ['another site that claims to be this one', 'https://evil.example', { 'Sec-Fetch-Site': 'same-origin' }],
    ['a form that any page could send', 'own', { 'Content-Type': 'text/plain' }],
    ['a form', 'own', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['another site, by another method', 'https://evil.example', { 'X-HTTP-Method-Override': 'GET' }],
  ];
  const rows = routeList.filter((row) => acceptsSession(row) && !isRead(row));

  test.each(named(rows))('$name', async ({ row }) => {
    for (const [reason, origin, headers] of forged) {
      browser.origin = origin === 'own' ? town.harness.url : origin;
      const answer = await browser.request(row.method, pathOf(row), '{"name":"changed"}', headers);
      expect(answer.status, reason).toBe(403);
      expect(String((answer.body.error as Json).message), reason).toMatch(/this site|JSON body/);
    }
    browser.origin = town.harness.url;
  });

  test('none of them changed anything', async () => {
    expect(((await browser.get('/api/auth/session')).body.user as Json).name).toBe('Bo');
  });

  test('this site is let in by its origin, and by the word of the browser alone', async () => {
    browser.origin = town.harness.url;
    expect((await browser.request('PATCH', '/api/auth/profile', { name: 'Bo' })).status).toBe(200);
    browser.origin = null;
    const headers = { 'Sec-Fetch-Site': 'same-origin' };
    expect((await browser.request('PATCH', '/api/auth/profile', { name: 'Bo' }, headers)).status).toBe(200);
    browser.origin = town.harness.url;
  });
});

test('AUTH-15 a key that is sent along decides alone, good or bad', async () => {
  const { key } = await town.harness.account();
  const withKey = (token: string) =>
    browser.request('GET', '/v1/insights', undefined, { Authorization: `Bearer ${token}` });
  expect((await withKey('sk-tg-made-up')).status).toBe(401);
  expect((await withKey(key)).status).toBe(200);
  const onSessionRow = await browser.request('GET', '/api/auth/session', undefined, { Authorization: `Bearer ${key}` });
  expect(onSessionRow.status).toBe(200);
  const keyAlone = await town.harness.request('GET', '/api/auth/session', { key });
  expect(keyAlone.status).toBe(401);
});
