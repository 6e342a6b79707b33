// What reading costs the database, counted in statements: every route that answers a GET needs the same few whether
// there are three of a thing or many. A list that asks once more for each of its rows fails here; times would not show
// it.

import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../authorization/ask.ts';
import { routeList, routeName } from '../authorization/route-list.ts';
import type { Params, ParamsOf, Row } from '../authorization/row.ts';
import { table } from '../authorization/table.ts';
import * as things from '../authorization/things.ts';
import { buildWorld, type Kind, organization, userKey, type World } from '../authorization/world.ts';
import { type Harness, startHarness } from '../harness.ts';

/** With who asks, and an entry in the log of operators. */
const STATEMENTS_MAX = 12;
/** Checks all the books, and says so; it is no list. */
const WHOLE_BOOKS = 'GET /admin/v1/ledger/check';
const MORE_OF_EACH = 4;
/**
 * The gateway's own work meanwhile only adds statements, so the least of several counts is the route's own, or nearly.
 */
const ROUNDS = 2;
const ROUNDS_WHEN_DEAR = 20;
const BY_ITSELF_MAX = 2;

/** Lists that became longer must be among these, or the second count proves nothing. */
const GROWING = [
  'GET /admin/v1/calls',
  'GET /admin/v1/operators',
  'GET /admin/v1/orders',
  'GET /admin/v1/orgs',
  'GET /admin/v1/users',
  'GET /admin/v1/users/:id/entries',
  'GET /admin/v1/users/:id/keys',
  'GET /api/account/calls',
  'GET /api/account/keys',
  'GET /api/orgs/:orgId/byok-keys',
  'GET /api/orgs/:orgId/content-filters',
  'GET /api/orgs/:orgId/edu/sessions',
  'GET /api/orgs/:orgId/feeds',
  'GET /api/orgs/:orgId/invitations',
  'GET /api/orgs/:orgId/keys',
  'GET /api/orgs/:orgId/notices',
  'GET /scim/v2/Groups',
  'GET /scim/v2/Users',
  'GET /v1/keys',
  'GET /v1/orgs',
  'GET /v1/orgs/:orgId/members',
  'GET /v1/orgs/:orgId/teams',
  'GET /v1/statement',
  'GET /v1/videos',
];

let harness: Harness;
let world: World;
let statements = 0;
const query = Client.prototype.query;

beforeAll(async () => {
  Client.prototype.query = function (this: Client, ...given: unknown[]) {
    statements += 1;
    return Reflect.apply(query, this, given);
  } as typeof query;
  harness = await startHarness({ env: { TOLLGATE_SSRF_ALLOW: '127.0.0.0/8' } });
  world = await buildWorld(harness);
});

afterAll(async () => {
  await harness.close();
  Client.prototype.query = query;
});

type Reading = Readonly<{ name: string; method: string; path: string; row: Row; kind: Kind; params: Params }>;

/** In the order of preference: those who may see most. */
const READERS: readonly Kind[] = [
  'operator',
  'cookie',
  'managementOwn',
  'standardOwn',
  'orgAdmin',
  'directory',
  'student',
];

async function readings(): Promise<readonly Reading[]> {
  const found: Reading[] = [];
  for (const { method, path } of routeList) {
    const name = routeName({ method, path });
    const row = table[name];
    if (method !== 'GET' || row === undefined || row.success !== undefined || name === WHOLE_BOOKS) continue;
    const kind = READERS.find((reader) => row.profile[reader] === 'in');
    if (kind === undefined) throw new Error(`nobody may ask ${name}`);
    found.push({ name, method, path, row, kind, params: (await row.params?.(world)) ?? {} });
  }
  return found;
}

type Cost = Readonly<{ statements: number; length: number }>;

async function costOf(reading: Reading, most: number): Promise<Cost> {
  const { text } = await ask(world, reading);
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS || (least > most && round < ROUNDS_WHEN_DEAR); round += 1) {
    const before = statements;
    await ask(world, reading);
    least = Math.min(least, statements - before);
  }
  return { statements: least, length: text.length };
}

async function costs(all: readonly Reading[], known?: ReadonlyMap<string, Cost>): Promise<ReadonlyMap<string, Cost>> {
  const found = new Map<string, Cost>();
  for (const reading of all) {
    const few = known?.get(reading.name)?.statements ?? STATEMENTS_MAX;
    found.set(reading.name, await costOf(reading, Math.min(STATEMENTS_MAX, few + BY_ITSELF_MAX)));
  }
  return found;
}

const isMaker = (thing: unknown): thing is ParamsOf => typeof thing === 'function';
// A password is dear to check, and sessions are no list that grows by the thousand.
const makers = Object.values(things).filter((thing) => isMaker(thing) && thing !== things.newSession) as ParamsOf[];

/** More of every thing that a path can name, and more calls. */
async function grow(): Promise<void> {
  for (let round = 0; round < MORE_OF_EACH; round += 1) {
    for (const make of makers) await make(world);
    await userKey(harness, world.ann, 'standard');
    await organization(harness, world.ann, []);
    const body = { model: 'openai/test', messages: [{ role: 'user', content: 'Hello.' }] };
    for (const kind of ['standardOwn', 'standardForeign'] as const)
      await harness.request('POST', '/v1/chat/completions', { headers: world.headers[kind], body });
  }
}

test('every list makes the same few statements, however long it is', async () => {
  const all = await readings();
  const before = await costs(all);
  await grow();
  const after = await costs(all, before);
  const figures = all.map(({ name }) => ({
    name,
    few: before.get(name)?.statements ?? 0,
    many: after.get(name)?.statements ?? 0,
    isLonger: (after.get(name)?.length ?? 0) > (before.get(name)?.length ?? 0),
  }));
  const longer = figures.filter(({ isLonger }) => isLonger).map(({ name }) => name);
  expect(GROWING.filter((name) => !longer.includes(name))).toEqual([]);
  expect(figures.filter(({ few, many }) => many > few + BY_ITSELF_MAX)).toEqual([]);
  expect(figures.filter(({ many }) => many > STATEMENTS_MAX)).toEqual([]);
});
