// What nobody needs any more is removed however much there is of it, in parts that each fit into a statement's time.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Database, type Queryable, sql } from '../../src/platform/db/database.ts';
import { FORGOTTEN_TOGETHER, forgetting } from '../../src/platform/db/forget.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { emptyDatabase, type FreshDatabase } from '../database.ts';

const OLD = 2 * FORGOTTEN_TOGETHER + 1;
const RECENT = 10;

const forget = forgetting('forget_traces', 'traces', 'place <= $1');
const fill = sql('fill_traces', 'insert into traces select place from generate_series(1, $1) as place');
const count = sql('count_traces', 'select count(*)::integer as rows from traces');

let fresh: FreshDatabase;
let database: Database;

beforeAll(async () => {
  fresh = await emptyDatabase();
  database = openDatabase(fresh.url, silentLogger);
  await database.query(sql('create_traces', 'create table traces (place integer not null)'));
});

afterAll(async () => {
  await database.close();
  await fresh.drop();
});

beforeEach(async () => {
  await database.query(sql('clear_traces', 'truncate traces'));
  await database.query(fill, [OLD + RECENT]);
});

const left = async (): Promise<number | undefined> => (await database.query<{ rows: number }>(count))[0]?.rows;

test('a part in each statement, until none is left', async () => {
  const parts: number[] = [];
  const counting: Queryable = {
    async query<Row extends object>(...asked: Parameters<Queryable['query']>) {
      const before = await left();
      const rows = await database.query<Row>(...asked);
      parts.push((before ?? 0) - ((await left()) ?? 0));
      return rows;
    },
  };
  await forget(counting, [OLD]);
  expect(parts).toEqual([FORGOTTEN_TOGETHER, FORGOTTEN_TOGETHER, 1]);
  expect(await left()).toBe(RECENT);
});

test('several processes at once neither wait for each other nor leave anything', async () => {
  await Promise.all([1, 2, 3].map(() => forget(database, [OLD])));
  // A part that another process was about to remove may have been passed over.
  await forget(database, [OLD]);
  expect(await left()).toBe(RECENT);
});
