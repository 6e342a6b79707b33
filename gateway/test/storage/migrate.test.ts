// Every instance starts with the schema of its build, whichever instance applied it, and applied migrations are never
// changed silently.

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { migrate, migrationsFolder } from '../../src/platform/db/migrate.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { emptyDatabase } from '../database.ts';

let url: string;
let folder: string;

beforeEach(async () => {
  const fresh = await emptyDatabase();
  folder = await mkdtemp(join(tmpdir(), 'tollgate-migrations-'));
  url = fresh.url;
  onTestFinished(async () => {
    await fresh.drop();
    await rm(folder, { recursive: true });
  });
});

const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
const run = (): Promise<void> => migrate(url, folder, silentLogger);

async function ask(text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

const applied = (): Promise<unknown[]> => ask('select number, name from schema_migrations order by number');

test('three instances that start at once all come up, and each file ran once', async () => {
  await write(
    '0001-first.sql',
    'create table steps (step integer); select pg_sleep(0.1); insert into steps values (1);',
  );
  await write('0002-second.sql', 'insert into steps values (2);');
  await Promise.all([run(), run(), run()]);
  expect(await ask('select step from steps order by step')).toEqual([{ step: 1 }, { step: 2 }]);
  expect(await applied()).toEqual([
    { number: 1, name: '0001-first.sql' },
    { number: 2, name: '0002-second.sql' },
  ]);
});

test('later files are applied to a database that has the earlier ones, and data', async () => {
  await write('0001-first.sql', 'create table steps (step integer);');
  await run();
  await ask('insert into steps values (7)');
  await write('0002-second.sql', 'alter table steps add column note text not null default $$old$$;');
  await run();
  expect(await ask('select step, note from steps')).toEqual([{ step: 7, note: 'old' }]);
});

test('an applied file that was changed stops the start and changes nothing', async () => {
  await write('0001-first.sql', 'create table steps (step integer);');
  await run();
  await write('0001-first.sql', 'create table steps (step bigint);');
  await write('0002-second.sql', 'create table more ();');
  await expect(run()).rejects.toThrow(/0001-first.sql differs .* never edited/);
  expect(await applied()).toHaveLength(1);
});

test('other line ends are not a change', async () => {
  await write('0001-first.sql', 'create table steps (\nstep integer);\n');
  await run();
  await write('0001-first.sql', 'create table steps (\r\nstep integer);\r\n');
  await run();
});

test('a failing file leaves nothing of itself, keeps what came before it, and says which it is', async () => {
  await write('0001-first.sql', 'create table steps (step integer);');
  await write('0002-second.sql', 'insert into steps values (1); create table other (); select 1 / 0;');
  await expect(run()).rejects.toThrow('0002-second.sql failed: division by zero');
  expect(await ask('select step from steps')).toEqual([]);
  expect(await applied()).toHaveLength(1);
  await write('0002-second.sql', 'insert into steps values (2);');
  await run();
  expect(await ask('select step from steps')).toEqual([{ step: 2 }]);
});

test('a gap, a file that comes late with a lower number, a doubled number and a bad name are refused', async () => {
  await write('0002-second.sql', 'create table steps (step integer);');
  await expect(run()).rejects.toThrow('0002-second.sql leaves a gap: the next number is 1');
  await write('0001-first.sql', 'select 1;');
  await run();
  await write('0004-fourth.sql', 'select 1;');
  await expect(run()).rejects.toThrow('0004-fourth.sql leaves a gap: the next number is 3');
  await rm(join(folder, '0004-fourth.sql'));
  // As a build that let gaps pass has left it.
  await ask('delete from schema_migrations where number = 1');
  await expect(run()).rejects.toThrow('0001-first.sql comes before number 2');
  await write('0002-again.sql', 'select 1;');
  await expect(run()).rejects.toThrow('have the same number');
  await write('latest.sql', 'select 1;');
  await expect(run()).rejects.toThrow('latest.sql is not named');
});

test('an older build starts on a newer database', async () => {
  await write('0001-first.sql', 'create table steps (step integer);');
  await write('0002-second.sql', 'create table more ();');
  await run();
  await rm(join(folder, '0002-second.sql'));
  await run();
  expect(await applied()).toHaveLength(2);
});

test('an older build does not start on a database that it cannot serve any more, and says why', async () => {
  await write('0001-first.sql', 'create table steps (step integer, old integer);');
  await write('0002-second.sql', '-- Nothing reads it any more.\n-- needs: 0002\nalter table steps drop column old;');
  await write('0003-third.sql', 'create table more ();');
  await run();
  await rm(join(folder, '0003-third.sql'));
  await run();
  await rm(join(folder, '0002-second.sql'));
  await expect(run()).rejects.toThrow(/newer than this build .* 0002-second.sql .* ends at 1/);
});

test('a migration that takes something away names the oldest build that serves after it', async () => {
  const takesAway =
    /^\s*(?:drop (?:table|view|function|trigger|column)|alter table .* (?:drop column|rename)|.*\brename (?:to|column))/im;
  const names = (await readdir(migrationsFolder)).filter((name) => name > '0036');
  for (const name of names) {
    const text = await readFile(join(migrationsFolder, name), 'utf8');
    // A wrapped function gives its name to the function that calls it, so that earlier builds find the name they call.
    const unwrapped = text.replace(/^alter function (\w+)\([^)]*\) rename to/gim, (found, wrapped) =>
      new RegExp(`^create function ${wrapped}\\(`, 'im').test(text) ? '' : found,
    );
    // No build calls a trigger or its function by name, so one that is replaced by another on its table is not missed.
    const untriggered = unwrapped
      .replace(/^drop trigger \w+ on (\w+);$/gim, (found, table) =>
        new RegExp(`^create trigger \\w+ .* on ${table} `, 'im').test(text) ? '' : found,
      )
      .replace(/^drop function refuse_\w+\(\);$/gim, '');
    if (takesAway.test(untriggered)) expect(text, name).toMatch(/^-- needs: \d{4}$/m);
  }
});

test('the migrations of this build apply', async () => {
  await migrate(url, migrationsFolder, silentLogger);
  await migrate(url, migrationsFolder, silentLogger);
});
