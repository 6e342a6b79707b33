// What every store relies on: exact types, named statements, all-or-nothing transactions, and errors that distinguish a
// database that is away from a wrong statement.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isConnectionFailure } from '../../src/platform/db/connection-failure.ts';
import { type Database, sql } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { emptyDatabase, type FreshDatabase } from '../database.ts';
import { eventually, pause } from './folders.ts';

const insert = sql('insert_amount', 'insert into amounts (id, amount) values ($1, $2)');
const readAll = sql('read_amounts', 'select id, amount from amounts order by id');
const clear = sql('clear_amounts', 'delete from amounts');
const backend = sql('backend', 'select pg_backend_pid() as pid');

let fresh: FreshDatabase;
let database: Database;

beforeAll(async () => {
  fresh = await emptyDatabase();
  database = openDatabase(fresh.url, silentLogger);
  await database.query(sql('create', 'create table amounts (id integer primary key, amount bigint not null)'));
});

afterAll(async () => {
  await database.close();
  await fresh.drop();
});

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable('it should have failed'),
    (error: unknown) => error,
  );

describe('values', () => {
  test('bigints are exact both ways, alone and in arrays', async () => {
    const statement = sql(
      'bigints',
      'select $1::bigint as one, $2::bigint[] as many, array[[1,null],[3,4]]::bigint[] as deep',
    );
    const largest = 9_223_372_036_854_775_807n;
    expect(await database.query(statement, [largest, [largest, null, -1n]])).toEqual([
      {
        one: largest,
        many: [largest, null, -1n],
        deep: [
          [1n, null],
          [3n, 4n],
        ],
      },
    ]);
  });

  test('instants are dates, days are text, json is parsed', async () => {
    const statement = sql(
      'others',
      `select $1::timestamptz as instant, date '2026-03-01' as day, '{"a":[1]}'::jsonb as json`,
    );
    const instant = new Date('2026-03-01T12:34:56.789Z');
    expect(await database.query(statement, [instant])).toEqual([{ instant, day: '2026-03-01', json: { a: [1] } }]);
  });

  test('parsers are not set for the whole process', async () => {
    const { types } = await import('pg');
    expect(types.getTypeParser(20)('5')).toBe('5');
  });
});

describe('statements', () => {
  test('are prepared once under their name and stay prepared after a failure', async () => {
    await database.query(insert, [1, 1n]);
    const [before] = await database.query<{ pid: number }>(backend);
    expect(await failureOf(database.query(insert, [1, 1n]))).toMatchObject({ code: '23505' });
    const [after] = await database.query<{ pid: number }>(backend);
    expect(after).toEqual(before);
    const prepared = sql('prepared', `select name from pg_prepared_statements where name = 'insert_amount'`);
    expect(await database.query(prepared)).toEqual([{ name: 'insert_amount' }]);
    await database.query(clear);
  });

  test('one name stands for one text', async () => {
    await database.query(sql('twice', 'select 1'));
    await expect(database.query(sql('twice', 'select 2'))).rejects.toThrow('Prepared statements must be unique');
  });

  test('survive a change of the table they were prepared for', async () => {
    const readEverything = sql('read_everything', 'select * from changing');
    await database.query(sql('create_changing', 'create table changing as select 1 as a'));
    expect(await database.query(readEverything)).toEqual([{ a: 1 }]);
    await database.query(sql('change', 'alter table changing add column b integer'));
    await failureOf(database.query(readEverything));
    expect(await database.query(readEverything)).toEqual([{ a: 1, b: null }]);
  });

  test('have a time limit on the server', async () => {
    const [row] = await database.query<{ limit: string }>(
      sql('limit', `select current_setting('statement_timeout') as limit`),
    );
    expect(row!.limit).toMatch(/^[5-9]s$|^10s$/);
  });
});

describe('transactions', () => {
  test('commit what they did, or nothing of it', async () => {
    await database.transaction(async (transaction) => {
      await transaction.query(insert, [1, 10n]);
      await transaction.query(insert, [2, 20n]);
    });
    const refused = database.transaction(async (transaction) => {
      await transaction.query(insert, [3, 30n]);
      throw new Error('changed my mind');
    });
    await expect(refused).rejects.toThrow('changed my mind');
    expect(await database.query(readAll)).toEqual([
      { id: 1, amount: 10n },
      { id: 2, amount: 20n },
    ]);
    await database.query(clear);
  });

  test('a failed statement that was swallowed does not pass for a commit', async () => {
    const swallowing = database.transaction(async (transaction) => {
      await transaction.query(insert, [1, 10n]);
      await transaction.query(insert, [1, 10n]).catch(() => {});
    });
    await expect(swallowing).rejects.toThrow('failed statement');
    expect(await database.query(readAll)).toEqual([]);
  });

  test('are over when they are over', async () => {
    const escaped = await database.transaction(async (transaction) => transaction);
    await expect(escaped.query(insert, [1, 1n])).rejects.toThrow('after it has ended');
  });

  test('a connection lost in the middle is a connection failure, and the next statement works', async () => {
    const terminate = sql('terminate', 'select pg_terminate_backend($1)');
    const broken = await failureOf(
      database.transaction(async (transaction) => {
        const [row] = await transaction.query<{ pid: number }>(backend);
        await transaction.query(insert, [1, 1n]);
        await database.query(terminate, [row!.pid]);
        await transaction.query(insert, [2, 2n]);
      }),
    );
    expect(isConnectionFailure(broken)).toBe(true);
    expect(await database.query(readAll)).toEqual([]);
  });
});

test('an idle connection that the server ends neither harms the process nor makes the database unreachable', async () => {
  const other = openDatabase(fresh.url, silentLogger);
  const [row] = await other.query<{ pid: number }>(backend);
  await database.query(sql('terminate', 'select pg_terminate_backend($1)'), [row!.pid]);
  const isRunning = sql('is_running', 'select from pg_stat_activity where pid = $1');
  await eventually(async () => (await database.query(isRunning, [row!.pid])).length === 0);
  // Several turns of the loop, and one tick of the watch: the loss is seen and the server asked.
  await pause(400);
  await expect.poll(async () => (await other.query<{ pid: number }>(backend))[0]!.pid).not.toBe(row!.pid);
  await expect.poll(() => other.isReachable()).toBe(true);
  await other.close();
});

describe('a database that is away', () => {
  test('is told from a wrong statement, within the connection timeout', async () => {
    const absent = openDatabase('postgres:///none?host=/nonexistent-folder&user=nobody', silentLogger);
    expect(isConnectionFailure(await failureOf(absent.query(backend)))).toBe(true);
    expect(absent.isReachable()).toBe(false);
    await absent.close();

    expect(isConnectionFailure(await failureOf(database.query(sql('wrong', 'select nonsense'))))).toBe(false);
    expect(database.isReachable()).toBe(true);
  });

  test('a closed database answers as one that is away', async () => {
    const closed = openDatabase(fresh.url, silentLogger);
    await closed.query(backend);
    await closed.close();
    expect(isConnectionFailure(await failureOf(closed.query(backend)))).toBe(true);
  });
});
