// The embedded server starts from every state of a folder, belongs to one gateway, and leaves nothing behind after an
// orderly stop.

import { access, chmod, chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { chooseRunAs } from '../../src/platform/db/embedded/run-as.ts';
import { socketFolderFor, socketPath } from '../../src/platform/db/embedded/socket-folder.ts';
import { startEmbedded } from '../../src/platform/db/embedded/start-embedded.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { postmasterPid, startIn, temporaryFolder } from './folders.ts';

async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

describe('starting', () => {
  test('cold and warm, with the rows of before', async () => {
    const folder = await temporaryFolder();
    const first = await startIn(folder);
    await ask(first.url, 'create table kept as select 7 as number');
    const pid = await postmasterPid(folder);
    await first.stop();
    await expect(postmasterPid(folder)).rejects.toThrow('no server runs here');

    const second = await startIn(folder);
    expect(await postmasterPid(folder)).not.toBe(pid);
    expect(await ask(second.url, 'select number from kept')).toEqual([{ number: 7 }]);
  });

  test('listens on a private socket only and keeps its promises to the disk', async () => {
    const folder = await temporaryFolder();
    const server = await startIn(folder);
    const rows = await ask(server.url, 'select name, setting from pg_settings');
    const settings = Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
    expect(settings).toMatchObject({
      listen_addresses: '',
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      data_checksums: 'on',
      server_encoding: 'UTF8',
      TimeZone: 'UTC',
    });
    expect((await stat(String(settings.unix_socket_directories).replaceAll('"', ''))).mode & 0o777).toBe(0o700);
    await server.stop();
    await expect(access(socketFolderFor(join(folder, 'postgres')))).rejects.toThrow('ENOENT');
  });

  test('in a folder whose path is longer than a socket address', async () => {
    const folder = join(
      await temporaryFolder(),
      ...Array.from({ length: 4 }, () => 'a-rather-long-folder-name-'.repeat(4)),
    );
    expect(Buffer.byteLength(folder)).toBeGreaterThan(400);
    const server = await startIn(folder);
    expect(await ask(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(Buffer.byteLength(socketPath(socketFolderFor(join(folder, 'postgres'))))).toBeLessThan(104);
  });

  test('a half-initialized folder is made again, and the leavings of a dead initialization are removed', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'postgres', 'base', '1'), { recursive: true });
    await writeFile(join(folder, 'postgres', 'PG_VERSION'), '18\n');
    // No process has the highest number that Linux can give, plus one.
    await mkdir(join(folder, 'postgres.initializing-4194305-abcd'));
    const server = await startIn(folder);
    expect(await ask(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect((await readdir(folder)).sort()).toEqual(['postgres', 'postgres.log']);
  });

  test('a folder that holds data is never made again', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'postgres', 'base', '16384'), { recursive: true });
    await expect(startIn(folder)).rejects.toThrow('Restore the folder from a backup');
    expect(await readdir(join(folder, 'postgres', 'base'))).toEqual(['16384']);
  });

  test('a folder of somebody else is left alone', async () => {
    const folder = await temporaryFolder();
    const foreign = join(folder, 'postgres', '18', 'docker', 'base', '16384');
    await mkdir(foreign, { recursive: true });
    await expect(startIn(folder)).rejects.toThrow(/holds something else \(18\).*TOLLGATE_DATA_DIR of its own/s);
    expect((await stat(foreign)).isDirectory()).toBe(true);
  });

  test('a server that cannot start says why', async () => {
    const folder = await temporaryFolder();
    await (await startIn(folder)).stop();
    await writeFile(join(folder, 'postgres', 'PG_VERSION'), '12\n');
    await expect(startIn(folder)).rejects.toThrow(/did not start.*initialized by PostgreSQL version 12/s);
  });

  test('a folder that the server may not write to is told at once', async () => {
    const folder = await temporaryFolder();
    await (await startIn(folder)).stop();
    await chmod(join(folder, 'postgres'), 0o500);
    await expect(startIn(folder)).rejects.toThrow(/did not start.*lock file.*Permission denied/s);
    await chmod(join(folder, 'postgres'), 0o700);
  });

  test.runIf(process.getuid?.() === 0)('as root, on behalf of the user who owns the folder', async () => {
    const folder = await temporaryFolder();
    await chown(folder, 65534, 65534);
    const server = await startIn(folder);
    expect(await ask(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect((await stat(join(folder, 'postgres', 'PG_VERSION'))).uid).toBe(65534);
    expect(await readFile(`/proc/${await postmasterPid(folder)}/status`, 'utf8')).toMatch(/^Uid:\s+65534\s/m);
  });
});

test.runIf(process.getuid?.() === 0)(
  'as root where user namespaces are forbidden, the folder goes to another user',
  async () => {
    const folder = await temporaryFolder();
    const first = await startIn(folder);
    await ask(first.url, 'create table kept as select 7 as number');
    await first.stop();
    expect((await stat(join(folder, 'postgres', 'PG_VERSION'))).uid).toBe(0);

    // Without a path to look in, `unshare` is not found.
    const cluster = join(folder, 'postgres');
    const runAs = await chooseRunAs({ dataFolder: folder, cluster, environment: { PATH: '/nonexistent' } });
    expect(runAs.prefix).toEqual([]);
    expect(runAs.user?.uid).toBeGreaterThan(0);
    expect((await stat(folder)).mode & 0o777).toBe(0o701);

    const second = await startIn(folder);
    expect(await ask(second.url, 'select number from kept')).toEqual([{ number: 7 }]);
    expect(await readFile(`/proc/${await postmasterPid(folder)}/status`, 'utf8')).toContain(
      `Uid:\t${runAs.user?.uid}\t`,
    );
  },
);

describe('one gateway for one folder', () => {
  test('a second one is refused and does the first no harm', async () => {
    const folder = await temporaryFolder();
    const first = await startIn(folder);
    const second = startEmbedded({ dataFolder: folder, logger: silentLogger });
    await expect(second).rejects.toThrow(/Another gateway is already running on .*DATABASE_URL/s);
    expect(await ask(first.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('of two that start at once on a new folder, exactly one comes up', async () => {
    const folder = await temporaryFolder();
    const outcomes = await Promise.allSettled([startIn(folder), startIn(folder)]);
    const started = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    expect(started).toHaveLength(1);
    expect(await ask(started[0]!.value.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(String(outcomes.find((outcome) => outcome.status === 'rejected')?.reason)).toContain('Another gateway');
  });
});
