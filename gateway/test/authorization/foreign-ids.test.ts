// Nobody finds, changes or recognizes what belongs to another tenant, wherever its id can be stated: in a path, a query
// or a body, and in whatever writing. The routes come from the gateway's own table and the fields from its descriptions,
// so whoever adds one has to decide here what it names.

import type { TSchema } from '@sinclair/typebox';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { descriptions } from '../../src/endpoints/docs/descriptions.ts';
import { type Answer, type Harness, startHarness } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';
import { addressEnv, ask, madeUp, madeUpId, wholeOf } from './ask.ts';
import { mirror } from './mirror.ts';
import { idOf, type Named, namedIds, namedInQueries } from './named-ids.ts';
import { routeList, routeName } from './route-list.ts';
import type { Params, Row } from './row.ts';
import { table } from './table.ts';
import { buildWorld, type Kind, type World } from './world.ts';

let harness: Harness;
let hers: World;
let his: World;
let client: Client;
let tracesOf: string;

beforeAll(async () => {
  harness = await startHarness({
    env: { ...addressEnv, TOLLGATE_SSRF_ALLOW: '127.0.0.0/8' },
    document: { limits: { paid_requests_per_minute: 1_000_000, free_requests_per_minute: 1_000_000 } },
  });
  hers = await buildWorld(harness);
  his = await mirror(hers);
  client = new Client({ connectionString: harness.databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  tracesOf = rows
    .map(({ name }) => `select '${name} ' || t::text as trace from ${name} t where strpos(t::text, $1) > 0`)
    .join(' union all ');
});

afterAll(async () => {
  await client?.end();
  await harness?.close();
});

/** What a call leaves is folded into sums a moment later. */
const isFolded = async (): Promise<boolean> =>
  (await client.query('select from unfolded_batches limit 1')).rowCount === 0;

/** Every row of every table that names it. */
async function traces(id: string): Promise<readonly string[]> {
  await expect.poll(isFolded, { timeout: PATIENCE_MS, interval: 20 }).toBe(true);
  const { rows } = await client.query<{ trace: string }>(`${tracesOf} order by 1`, [id]);
  return rows.map(({ trace }) => trace);
}

/** Those who have such things, and in whose place the other tenant asks. */
const OWNERS: readonly Kind[] = ['standardOwn', 'managementOwn', 'orgAdmin', 'cookie', 'directory'];

const routes = routeList
  .filter(({ access }) => !['public', 'operator', 'student'].includes(access))
  .map(({ method, path, access }) => {
    const name = routeName({ method, path });
    const row = table[name];
    if (row === undefined) throw new Error(`${name} has no line in the table`);
    const owners = OWNERS.filter((kind) => row.profile[kind] === 'in');
    // Where nobody of these is let in, what is asked about is not Ann's either.
    return { name, method, path, access, row, owners: owners.length === 0 ? (['cookie'] as const) : owners };
  });

/** What the others are called in paths names nothing of a tenant's: models, and SCIM's own schemas. */
const withIds = routes.filter(
  ({ path }) => /:(?!slug\b|vendor\b|name\b)\w/.test(path) && !/^\/scim\/v2\/(?:ResourceTypes|Schemas)\b/.test(path),
);

/** The other tenant's thing, and the same below the asker's own organization. */
function placesOf(params: Params): readonly Params[] {
  const { orgId, ...others } = params;
  if (orgId === undefined || Object.keys(others).length === 0) return [params];
  return [params, { ...params, orgId: his.acme.orgId }];
}

const WRITINGS: readonly ((id: string) => string)[] = [
  (id) => id.toUpperCase(),
  (id) => `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`,
  (id) => `${id}/`,
  (id) => `${id}%2F`,
  (id) => `${id}%20`,
  (id) => `${id}%00`,
  (id) => `x%2F..%2F${id}`,
  (id) => `${id}%E2%80%8B`,
  (id) => id.padEnd(5_000, '0'),
];

describe('ORG-04 ERR-07 AUTH-01 things of another tenant, by the id in the path', () => {
  test.each(withIds)('$name', async ({ method, path, row, owners }) => {
    const params = (await row.params?.(hers)) ?? {};
    const id = idOf(params);
    expect(id).not.toBe('');
    const before = await traces(id);
    expect(before).not.toEqual([]);
    for (const kind of owners) {
      for (const place of placesOf(params)) {
        const asked = { method, path, row, kind, params: place };
        const foreign = await ask(his, asked);
        const made = { ...madeUp(place), ...(place.orgId === his.acme.orgId ? { orgId: place.orgId } : {}) };
        const missing = await ask(his, { ...asked, params: made });
        expect([kind, foreign.status, wholeOf(foreign)]).toEqual([kind, 404, wholeOf(missing)]);
      }
    }
    const [kind = 'cookie'] = owners;
    for (const write of WRITINGS) {
      for (const place of placesOf(params)) {
        const { status, text } = await askRaw({ method, path, row, kind, params: place }, write(id));
        expect([400, 404, 405], `${write(id).slice(0, 100)}: ${status} ${text}`).toContain(status);
      }
    }
    expect(await traces(id)).toEqual(before);
    // It was there all the time.
    const found = await ask(hers, { method, path, row, kind, params });
    expect([row.profile[kind] === 'in' ? (row.success ?? 200) : 404].flat()).toContain(found.status);
  });
});

type Asked = Readonly<{ method: string; path: string; row: Row; kind: Kind; params: Params }>;

/** The last parameter of the path as it is. */
function askRaw({ method, path, row, kind, params }: Asked, raw: string): Promise<Answer> {
  const names = Object.keys(params);
  const last = `:${names.at(-1)}`;
  const written = path.replace(/:\w+/g, (name) => (name === last ? raw : (params[name.slice(1)] ?? '')));
  return ask(his, { method, path: written, row, kind, params: {} });
}

const ID =
  /(?:^|[._])(?:id|user|key|actor|target|after|before|cursor|filter)$|[a-z]Ids?$|_ids?$|members\.\[\]\.value$|Operations\.\[\]\.value$/;

function fieldsOf(schema: TSchema | undefined, prefix = ''): readonly string[] {
  if (schema === undefined) return [];
  const own = Object.entries((schema.properties ?? {}) as Record<string, TSchema>).flatMap(([name, inner]) => [
    prefix + name,
    ...fieldsOf(inner, `${prefix}${name}.`),
  ]);
  const items = Array.isArray(schema.items) ? [] : fieldsOf(schema.items as TSchema | undefined, `${prefix}[].`);
  const others = [...((schema.anyOf ?? []) as TSchema[]), ...((schema.allOf ?? []) as TSchema[])];
  return [...own, ...items, ...others.flatMap((other) => fieldsOf(other, prefix))];
}

const named = routes.flatMap((route) => {
  const { query, body } = descriptions[route.name] ?? {};
  // What calls of models may refer to is tried where calls are.
  const isCall =
    /\/videos?\b/.test(route.path) || (route.access === 'model' && !/\/(?:files|batches)\b/.test(route.path));
  const fields = [
    ...fieldsOf(query).map((field) => ({ field, isQuery: true })),
    ...(isCall ? [] : fieldsOf(body)).map((field) => ({ field, isQuery: false })),
  ];
  return fields
    .filter(({ field }) => ID.test(field))
    .map((field) => {
      const place = `${route.name} ${field.field}`;
      const line = namedIds[place] ?? (field.isQuery ? namedInQueries[field.field] : undefined);
      return { ...route, ...field, place, line };
    });
});

test('every field that may hold an id has its line, and every line its field', () => {
  const places = new Set(named.map(({ place }) => place));
  expect(named.filter(({ line }) => line === undefined).map(({ place }) => place)).toEqual([]);
  expect(Object.keys(namedIds).filter((place) => !places.has(place))).toEqual([]);
});

const stated = named.flatMap(({ line, ...rest }) =>
  line === undefined || typeof line === 'string' ? [] : [{ ...rest, line }],
);

describe('ORG-04 ERR-07 things of another tenant, by an id in a query or a body', () => {
  test.each(stated)('$place', async ({ field, isQuery, method, path, row, owners, line }) => {
    // What is his is older and younger than what is hers, so that a list that is cut at hers would show.
    await line.thing(his);
    const id = idOf(await line.thing(hers));
    await line.thing(his);
    const before = await traces(id);
    const params = (await row.params?.(his)) ?? {};
    for (const kind of owners) {
      const answerTo = async (name: string): Promise<string> => {
        const answer = await ask(his, {
          method,
          path,
          row: stating(row, { field, isQuery, line }, name),
          kind,
          params,
        });
        return wholeOf(answer)
          .replaceAll(name, '')
          .replace(/cachedAt[^,}]*/, '');
      };
      const missing = (line.missing ?? madeUpId)(id);
      expect(missing).not.toBe(id);
      expect([kind, await answerTo(id)]).toEqual([kind, await answerTo(missing)]);
    }
    if (line.isLogged !== true) expect(await traces(id)).toEqual(before);
  });
});

type Place = Readonly<{ field: string; isQuery: boolean; line: Named }>;

/** The row's own question with this in it. */
function stating(row: Row, { field, isQuery, line }: Place, name: string): Row {
  if (!isQuery) return { ...row, body: line.body?.(name, his) ?? {} };
  const usual = typeof row.query === 'string' ? `${row.query}&` : '';
  return { ...row, query: `${usual}${field}=${encodeURIComponent(line.value?.(name) ?? name)}` };
}
