// A database whose disk is full: what it cannot store is refused or waits in the journal file, requests that need no
// room are served, /readyz says so, and when there is room again everything is charged once. When the disk of its
// write-ahead log is full the server ends instead, and has to be started again. The disk is a small file system in
// memory, which only root may mount: elsewhere this test is skipped.

import { spawnSync } from 'node:child_process';
import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Harness, startHarness } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';
import { PostgresServer } from './postgres-server.ts';
import { account, isMissing } from './programs.ts';

const patience = { timeout: PATIENCE_MS, interval: 50 };
const CALLS_MAX = 3_000;

function canMount(): boolean {
  const isPossible = process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'true']).status === 0;
  if (!isPossible) console.error('!! NOT RUN: tests of a full disk, which only root can make');
  return isPossible;
}

describe.skipIf(isMissing('initdb', 'postgres') || !canMount())('the disk of the database is full', () => {
  let folder: string;
  let server: PostgresServer;
  let harness: Harness;
  let user: { userId: string; key: string };
  let answered = 0;

  const ballast = (): string => join(folder, 'ballast');
  /** Until nothing more fits. */
  const fillDisk = (): void => void spawnSync('dd', ['if=/dev/zero', `of=${ballast()}`, 'bs=8k']);
  const ready = async (): Promise<number> => (await fetch(`${harness.url}/readyz`)).status;
  const call = async (): Promise<number> => {
    const { status } = await harness.chat(user.key, { model: 'test/model' });
    if (status === 200) answered += 1;
    return status;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tollgate-disk-'));
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'tollgate-test', folder]);
    if (account.uid !== undefined) await chown(folder, account.uid, account.gid ?? 0);
    server = await PostgresServer.primary();
    await server.query(`create tablespace small location '${folder}'`, 'postgres');
    await server.query('create database full_disk tablespace small', 'postgres');
    harness = await startHarness({
      models: { 'test/model': { commands: 'tokens-100-20' } },
      env: { DATABASE_URL: server.url.replace(/[^/]+$/, 'full_disk') },
    });
    user = await harness.account(5);
    expect(await call()).toBe(200);
  }, 120_000);

  afterAll(async () => {
    await rm(ballast(), { force: true });
    await harness?.close();
    await server?.remove();
    spawnSync('umount', ['-l', folder]);
    await rm(folder, { recursive: true, force: true });
  });

  test('calls are refused once their charge cannot be stored, reads are answered, and /readyz says so', async () => {
    expect(await ready()).toBe(200);
    fillDisk();
    let status = 200;
    for (let made = 0; made < CALLS_MAX && status === 200; made += 1) status = await call();
    expect(status).toBe(503);
    await expect.poll(ready, patience).toBe(503);
    expect((await harness.request('GET', '/v1/models', { key: user.key })).status).toBe(200);
    expect((await harness.request('GET', '/v1/credits', { key: user.key })).status).toBe(200);
    expect((await harness.request('GET', '/healthz')).status).toBe(200);
    // The state stays: the next call is not tried at the customer's cost.
    expect(await call()).toBe(503);
  }, 120_000);

  test('with room again it serves by itself, and every answered call is charged once', async () => {
    await rm(ballast());
    await expect.poll(ready, patience).toBe(200);
    await expect.poll(call, patience).toBe(200);
    const charged = async () => {
      const count = "select count(*) as n from journal_entries where kind = 'charge'";
      return Number((await server.query<{ n: string }>(count, 'full_disk'))[0]?.n);
    };
    await expect.poll(charged, patience).toBe(answered);
    await expect.poll(async () => (await harness.ledgerCheck()).ok, patience).toBe(true);
  }, 120_000);
});

describe.skipIf(isMissing('initdb', 'postgres') || !canMount())('the disk of the write-ahead log is full', () => {
  let folder: string;
  let server: PostgresServer;
  let harness: Harness;
  let user: { userId: string; key: string };
  let answered = 0;

  const ballast = (): string => join(folder, 'ballast');
  const ready = async (): Promise<number> => (await fetch(`${harness.url}/readyz`)).status;
  const call = async (): Promise<number> => {
    const { status } = await harness.chat(user.key, { model: 'test/model' });
    if (status === 200) answered += 1;
    return status;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tollgate-log-'));
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'tollgate-test', folder]);
    const logFolder = join(folder, 'wal');
    await mkdir(logFolder, { mode: 0o700 });
    if (account.uid !== undefined) await chown(logFolder, account.uid, account.gid ?? 0);
    server = await PostgresServer.primary({ logFolder });
    harness = await startHarness({
      models: { 'test/model': { commands: 'tokens-100-20' } },
      env: { DATABASE_URL: server.url },
    });
    user = await harness.account(5);
    expect(await call()).toBe(200);
  }, 120_000);

  afterAll(async () => {
    await rm(ballast(), { force: true });
    await harness?.close();
    await server?.remove();
    spawnSync('umount', ['-l', folder]);
    await rm(folder, { recursive: true, force: true });
  });

  test('calls are refused once nothing can be committed, and /readyz says so', async () => {
    expect(await ready()).toBe(200);
    spawnSync('dd', ['if=/dev/zero', `of=${ballast()}`, 'bs=8k']);
    let status = 200;
    for (let made = 0; made < CALLS_MAX && status === 200; made += 1) {
      status = await call();
      // Segments that are there already are used up first.
      await server.query('select pg_switch_wal()').catch(() => {});
    }
    expect(status).toBe(503);
    await expect.poll(ready, patience).toBe(503);
    expect((await harness.request('GET', '/healthz')).status).toBe(200);
    expect(await call()).toBe(503);
  }, 120_000);

  test('once there is room and the server is started, it serves, and every answered call is charged once', async () => {
    await rm(ballast());
    await expect
      .poll(async () => {
        if (server.hasEnded) await server.start().catch(() => {});
        return ready();
      }, patience)
      .toBe(200);
    await expect.poll(call, patience).toBe(200);
    const charged = async () => {
      const count =
        "select count(*) as n, count(distinct generation_id) as ids from journal_entries where kind = 'charge'";
      const [row] = await server.query<{ n: string; ids: string }>(count);
      return { n: Number(row?.n), ids: Number(row?.ids) };
    };
    await expect.poll(charged, patience).toEqual({ n: answered, ids: answered });
    await expect.poll(async () => (await harness.ledgerCheck()).ok, patience).toBe(true);
  }, 120_000);
});
