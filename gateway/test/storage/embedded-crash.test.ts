// Killing the server, the gateway or both loses no committed row and needs no manual repair.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isConnectionFailure } from '../../src/platform/db/connection-failure.ts';
import { sql } from '../../src/platform/db/database.ts';
import { findPostmaster } from '../../src/platform/db/embedded/postmaster.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { eventually, postmasterPid, startIn, temporaryFolder } from './folders.ts';

const ownerProgram = fileURLToPath(new URL('./owner-program.ts', import.meta.url));
const countKept = sql('count_kept', 'select count(*) as count, max(number) as last from kept');

/**
 * Lets a gateway commit `rows` rows in a process of its own, kills it, and returns the last number that it promised.
 */
async function killAfter(folder: string, rows: number, first: number): Promise<number> {
  const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', ownerProgram, folder, String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let last = first - 1;
  for await (const line of createInterface({ input: child.stdout! })) {
    last = Number(line);
    if (last === first + rows) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
  return last;
}

test('after kill -9 of the gateway the next one attaches to the server and finds every committed row', async () => {
  const folder = await temporaryFolder();
  const promised = await killAfter(folder, 50, 1);
  const pid = await postmasterPid(folder);

  const server = await startIn(folder);
  expect(await postmasterPid(folder)).toBe(pid);
  const database = openDatabase(server.url, silentLogger);
  const [kept] = await database.query<{ count: bigint; last: number }>(countKept);
  await database.close();
  expect(kept!.last).toBeGreaterThanOrEqual(promised);
  expect(kept!.count).toBe(BigInt(kept!.last));

  await server.stop();
  expect(await findPostmaster(join(folder, 'postgres'))).toBeNull();
});

test('after kill -9 of the gateway and its server at once the next one starts with every committed row', async () => {
  const folder = await temporaryFolder();
  const promised = await killAfter(folder, 50, 1);
  process.kill(await postmasterPid(folder), 'SIGKILL');

  // No pause: the rest of the old server is still ending.
  const server = await startIn(folder);
  const database = openDatabase(server.url, silentLogger);
  const [kept] = await database.query<{ count: bigint; last: number }>(countKept);
  await database.close();
  expect(kept!.last).toBeGreaterThanOrEqual(promised);
  expect(kept!.count).toBe(BigInt(kept!.last));
});

test('a server that is killed under a living gateway is started again and the same database object recovers', async () => {
  const folder = await temporaryFolder();
  const server = await startIn(folder);
  const database = openDatabase(server.url, silentLogger);
  const insert = sql('insert_kept', 'insert into kept (number) values ($1)');
  await database.query(sql('create_kept', 'create table kept (number integer primary key)'));
  await database.query(insert, [1]);
  const pid = await postmasterPid(folder);

  process.kill(pid, 'SIGKILL');
  // Sessions outlive their postmaster for a moment and still answer, so the new server is waited for first.
  await eventually(async () => ![pid, undefined].includes((await findPostmaster(join(folder, 'postgres')))?.pid));
  await eventually(() =>
    database.query(insert, [2]).then(
      () => true,
      (error: unknown) => {
        // Meanwhile the only visible effect may be that the server is absent.
        expect(isConnectionFailure(error)).toBe(true);
        return false;
      },
    ),
  );
  expect(await database.query(countKept)).toEqual([{ count: 2n, last: 2 }]);

  await database.close();
  await server.stop();
  expect(await findPostmaster(join(folder, 'postgres'))).toBeNull();
});

test('a stop in the middle of a recovery leaves no server behind', async () => {
  const folder = await temporaryFolder();
  const server = await startIn(folder);
  const pid = await postmasterPid(folder);
  process.kill(pid, 'SIGKILL');
  // The new server has its lock file, but nobody has connected to it yet.
  await eventually(async () => ![pid, undefined].includes((await findPostmaster(join(folder, 'postgres')))?.pid));
  await server.stop();
  expect(await findPostmaster(join(folder, 'postgres'))).toBeNull();
});

test('a database object notices by itself that the server went away and that it came back', async () => {
  const folder = await temporaryFolder();
  const server = await startIn(folder);
  const database = openDatabase(server.url, silentLogger);
  const one = sql('one', 'select 1 as one');
  await database.query(one);
  expect(database.isReachable()).toBe(true);
  await server.stop();
  await eventually(() => !database.isReachable());

  const next = await startIn(folder);
  expect(next.url).toBe(server.url);
  await eventually(() => database.isReachable());
  expect(await database.query(one)).toEqual([{ one: 1 }]);
  await database.close();
});

test.runIf(process.platform === 'linux')(
  'a lock file whose number now belongs to another program does not block',
  async () => {
    const folder = await temporaryFolder();
    await (await startIn(folder)).stop();
    const bystander = spawn('sleep', ['60'], { stdio: 'ignore' });
    try {
      const path = join(folder, 'postgres', 'postmaster.pid');
      await writeFile(path, `${bystander.pid}\n${join(folder, 'postgres')}\n1\n5432\n/nowhere\n\n\nready   \n`);
      await startIn(folder);
      expect(Number((await readFile(path, 'utf8')).split('\n')[0])).not.toBe(bystander.pid);
      expect(bystander.exitCode).toBeNull();
    } finally {
      bystander.kill();
    }
  },
);

test('a lock file that the server is still writing names no socket, rather than half of one', async () => {
  const folder = await temporaryFolder();
  const server = spawn('sleep', ['600'], { cwd: folder });
  try {
    await once(server, 'spawn');
    const pid = server.pid!;
    const begun = `${pid}\n${folder}\n1700000000\n5432\n`;
    for (const [written, socketFolder] of [
      [begun, ''],
      [`${begun}/tmp/toll`, ''],
      [`${begun}/tmp/tollgate-1\n`, '/tmp/tollgate-1'],
    ]) {
      await writeFile(join(folder, 'postmaster.pid'), written!);
      expect(await findPostmaster(folder)).toEqual({ pid, socketFolder });
    }
  } finally {
    server.kill('SIGKILL');
  }
});
