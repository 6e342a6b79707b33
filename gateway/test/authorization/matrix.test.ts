// Every route and every kind of principal: who gets in, and how everybody else is refused. The routes come from the
// gateway's own table, the expectations from table.ts. Things of others and missing things must look the same.

import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { includesRole } from '../../src/canonical/caller.ts';
import { type Harness, startHarness } from '../harness.ts';
import { addressEnv, ask, madeUp, wholeOf } from './ask.ts';
import { operator } from './profiles.ts';
import { routeList, routeName } from './route-list.ts';
import type { Params, Row } from './row.ts';
import { table } from './table.ts';
import { buildWorld, type Kind, kinds, type World } from './world.ts';

let harness: Harness;
let world: World;

beforeAll(async () => {
  harness = await startHarness({
    env: { ...addressEnv, TOLLGATE_SSRF_ALLOW: '127.0.0.0/8' },
    models: {
      'acme/rank': { entry: { output_modalities: ['rerank'], pricing: { search: '0.001' } } },
      'acme/embed': { entry: { output_modalities: ['embeddings'], pricing: { prompt: '1' } } },
    },
  });
  world = await buildWorld(harness);
});

afterAll(() => harness.close());

const untouched = new Map<Row, Params>();

/**
 * A caller who is let in may use up the thing that the path names; all callers who are refused can be asked about the
 * same thing.
 */
async function paramsOf(row: Row, kind: Kind): Promise<Params> {
  const kept = row.profile[kind] === 'in' ? undefined : untouched.get(row);
  const params = kept ?? (await row.params?.(world)) ?? {};
  if (row.profile[kind] !== 'in') untouched.set(row, params);
  return params;
}

test('every route has its line, and every line its route', () => {
  expect(routeList.map(routeName).filter((name) => table[name] === undefined)).toEqual([]);
  const names = new Set(routeList.map(routeName));
  expect(Object.keys(table).filter((name) => !names.has(name))).toEqual([]);
});

const lines = routeList.flatMap(({ method, path }) => {
  const row = table[routeName({ method, path })];
  return row === undefined ? [] : [{ name: routeName({ method, path }), method, path, row }];
});

describe('AUTH-01 AUTH-02 AUTH-03 AUTH-04 AUTH-05 AUTH-15 ORG-02 ORG-04 ORG-16 ORG-17 ORG-18 ORG-19 ERR-05 ERR-06', () => {
  test.each(lines)('$name', async ({ method, path, row }) => {
    const wrong: string[] = [];
    for (const kind of kinds) {
      const expected = row.profile[kind];
      const params = await paramsOf(row, kind);
      const answer = await ask(world, { method, path, row, kind, params });
      const statuses = [expected === 'in' ? (row.success ?? 200) : expected].flat();
      if (!statuses.includes(answer.status)) {
        wrong.push(`${kind}: ${answer.status} instead of ${statuses.join(' or ')} ${answer.text}`);
      }
      if (expected === 404) {
        const missing = await ask(world, { method, path, row, kind, params: madeUp(params) });
        if (wholeOf(missing) !== wholeOf(answer))
          wrong.push(`${kind}: foreign and missing differ, ${wholeOf(missing)}`);
      }
      if (kind === 'standardForeign' || kind === 'managementForeign') {
        const leaked = world.annsMarks.filter((mark) => answer.text.includes(mark));
        if (leaked.length > 0) wrong.push(`${kind}: told of ${leaked.join(', ')}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('an operator with a session is let in as far as the role goes', () => {
  const ofOperators = lines.filter(({ row }) => row.profile === operator);

  test('and every route of operators says how far that is', () => {
    expect(ofOperators.map(({ name }) => name)).toEqual(
      routeList.filter(({ access }) => access === 'operator').map(routeName),
    );
    expect(ofOperators.filter(({ row }) => row.leastRole === undefined)).toEqual([]);
  });

  test.each(ofOperators)('$name', async ({ method, path, row }) => {
    for (const [role, headers] of world.operators) {
      const isIn = includesRole(role, row.leastRole ?? 'owner');
      const params = (await row.params?.(world)) ?? {};
      const { status, text } = await ask(world, { method, path, row, kind: headers, params });
      const statuses = isIn ? [row.success ?? 200].flat() : [403];
      expect([role, statuses.includes(status) ? 'right' : `${status} ${text}`]).toEqual([role, 'right']);
    }
  });

  test('and whatever operators were let in to do, or to read, is in their log', async () => {
    const client = new Client(harness.databaseUrl);
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      "select distinct method || ' ' || route as name from operator_audit_log",
    );
    await client.end();
    const logged = new Set(rows.map(({ name }) => name));
    expect(ofOperators.map(({ name }) => name).filter((name) => !logged.has(name))).toEqual([]);
  });

  test('a change must come from this site', async () => {
    const { Cookie = '' } = world.operators.get('owner') ?? {};
    for (const origin of [null, 'https://evil.example', 'null']) {
      const headers: Record<string, string> = { Cookie, ...(origin === null ? {} : { Origin: origin }) };
      const answer = await harness.request('PATCH', '/admin/v1/brake', { headers, body: { enabled: false } });
      expect(answer.status).toBe(403);
    }
  });
});

test('VER-02 what is below /v1 is below /api/v1 as well, with the same doors', async () => {
  for (const { method, path, row, name } of lines.filter(({ path }) => path.startsWith('/v1/'))) {
    const params = await paramsOf(row, 'none');
    for (const kind of ['none', 'bad', 'operator'] as const) {
      const answer = await ask(world, { method, path, row, kind, params });
      const twin = await ask(world, { method, path: `/api${path}`, row, kind, params });
      expect([name, kind, twin.status]).toEqual([name, kind, answer.status]);
    }
  }
});
