// PostgreSQL as it is run in practice: a primary with a standby, several hosts in one address, a pooler in front, and
// connections that are encrypted as libpq would encrypt them.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { sql } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { openReader } from '../../src/platform/db/reader.ts';
import { recognisePooler } from '../../src/platform/db/recognise-pooler.ts';
import { Servers } from '../../src/platform/db/servers.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { Gateways } from '../scale/gateways.ts';
import { PgBouncer } from './pgbouncer.ts';
import { PostgresServer } from './postgres-server.ts';
import { isMissing, until } from './programs.ts';

describe.skipIf(isMissing('postgres', 'initdb', 'pg_basebackup', 'pgbouncer'))('a primary and its standby', () => {
  let primary: PostgresServer;
  let standby: PostgresServer;

  beforeAll(async () => {
    primary = await PostgresServer.primary();
    standby = await PostgresServer.standbyOf(primary);
  });

  afterAll(async () => {
    await standby?.remove();
    await primary?.remove();
  });

  const several = (first: PostgresServer, second: PostgresServer): string =>
    first.url.replace(first.address, `${first.address},${second.address}`);

  test('of several hosts the one that takes writes is found, wherever it stands', async () => {
    const servers = new Servers(`${several(standby, primary)}?target_session_attrs=read-write`);
    const client = await servers.connect();
    expect((await client.query('select pg_is_in_recovery() as standby')).rows).toEqual([{ standby: false }]);
    await client.end();
  });

  test('a standby by mistake is told in words, and names no password', async () => {
    const failure = await new Servers(standby.url).connect().then(
      () => expect.unreachable('a standby is of no use'),
      (error: unknown) => error as Error,
    );
    expect(failure.message).toContain('DATABASE_URL');
    expect(failure.message).toContain(standby.address);
    expect(failure.message).toMatch(/standby.*\n.*primary/s);
    expect(failure.message).not.toContain('test-password');
  });

  test('a standby answers reports, its lag is measured, and the primary answers when it is away', async () => {
    const database = openDatabase(primary.url, silentLogger);
    const reports = openDatabase(new Servers(standby.url, { isReadingEnough: true }), silentLogger);
    const reader = openReader({ database, standby: reports, clock: systemClock, logger: silentLogger });
    const whereStatement = sql('where', 'select pg_is_in_recovery() as standby');
    await expect.poll(() => reader.lagMs()).toBe(0);
    expect(await reader.queryable.query(whereStatement)).toEqual([{ standby: true }]);
    await standby.query('select pg_wal_replay_pause()');
    await primary.query('create table if not exists lagging (id integer)');
    await expect.poll(() => reader.lagMs() ?? 0).toBeGreaterThan(500);
    await standby.query('select pg_wal_replay_resume()');
    await expect.poll(() => reader.lagMs()).toBe(0);
    standby.freeze();
    await expect.poll(() => reader.lagMs()).toBe(null);
    expect(await reader.queryable.query(whereStatement)).toEqual([{ standby: false }]);
    standby.thaw();
    await reader.close();
    await database.close();
  });

  test('a pooler is recognised by its mode', async () => {
    for (const mode of ['transaction', 'session'] as const) {
      const bouncer = await PgBouncer.start(primary.url, mode);
      const pooling = await recognisePooler(new Servers(bouncer.url));
      expect(pooling.isShared).toBe(mode === 'transaction');
      // Debian's 1.18 keeps none in transaction mode.
      expect(pooling.keepsStatements).toBe(mode === 'session');
      await bouncer.stop();
    }
    expect(await recognisePooler(new Servers(primary.url))).toEqual({ isShared: false, keepsStatements: true });
  });

  test('behind a pooler two gateways start, charge exactly, and a revoked key is refused by both at once', async () => {
    const bouncer = await PgBouncer.start(primary.url, 'transaction');
    const gateways = await Gateways.start({
      databaseUrl: bouncer.url,
      env: { DATABASE_DIRECT_URL: primary.url, DATABASE_READ_URL: standby.url },
      count: 2,
    });
    const { key, userId } = await gateways.account(10);
    const body = { model: 'openai/test', stream: true };
    const seen = await Promise.all(Array.from({ length: 60 }, (_, index) => gateways.call(index, key, body)));
    expect(seen.map(({ status }) => status)).toEqual(seen.map(() => 200));
    const costUsd = seen.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
    expect(await gateways.spentUsd(key)).toBeCloseTo(costUsd, 9);
    await gateways.operate('PATCH', `/admin/v1/users/${userId}`, { suspended: true });
    await expect
      .poll(async () => [(await gateways.call(0, key, body)).status, (await gateways.call(1, key, body)).status])
      .toEqual([403, 403]);
    expect(await gateways.operate('GET', '/admin/v1/ledger/check?full=true')).toMatchObject({ ok: true });
    const page = await (await fetch(`${gateways.url(0)}/metrics`)).text();
    expect(page).toMatch(/^tollgate_database_read_lag_seconds\S* 0/m);
    await gateways.close();
    await bouncer.stop();
  });

  test('a transaction pooler without DATABASE_DIRECT_URL, and a standby, end the start with words and no stack', async () => {
    const bouncer = await PgBouncer.start(primary.url, 'transaction');
    for (const [databaseUrl, words] of [
      [bouncer.url, 'DATABASE_DIRECT_URL'],
      [standby.url, 'is a standby'],
    ] as const) {
      const start = Gateways.start({ databaseUrl, count: 1 });
      const failure = await start.then(
        () => expect.unreachable('it cannot serve'),
        (error: unknown) => (error as Error).message,
      );
      expect(failure).toContain(words);
      expect(failure).not.toMatch(/\n {4}at /);
    }
    await bouncer.stop();
  });

  test('a primary that takes over is found, and the one it left behind is refused', async () => {
    const database = openDatabase(several(primary, standby), silentLogger);
    const whoStatement = sql('who', 'select inet_server_port() as port');
    expect(await database.query(whoStatement)).toEqual([{ port: primary.port }]);
    await standby.promote();
    // Both take writes now; the periodic check finds that one of them is on a newer timeline.
    await expect.poll(() => database.query(whoStatement).catch(() => null)).toEqual([{ port: standby.port }]);
    standby.freeze();
    await until('the newer one is away', () => !database.isReachable());
    await expect(database.query(whoStatement)).rejects.toThrow('away');
    standby.thaw();
    await expect.poll(() => database.query(whoStatement).catch(() => null)).toEqual([{ port: standby.port }]);
    await database.close();
  });
});

describe.skipIf(isMissing('postgres', 'initdb', 'openssl'))('a server that offers TLS', () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await PostgresServer.primary({ isProtected: true });
  });

  afterAll(async () => {
    await server?.remove();
  });

  async function isEncrypted(parameters: string, host = '127.0.0.1'): Promise<boolean> {
    const client = await new Servers(`${server.url.replace('127.0.0.1', host)}${parameters}`).connect();
    const { rows } = await client.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
    await client.end();
    return rows[0].ssl;
  }

  test('is spoken to as sslmode says: encrypted when offered, and checked when asked for', async () => {
    const root = `sslrootcert=${encodeURIComponent(server.certificateFile)}`;
    expect(await isEncrypted('')).toBe(true);
    expect(await isEncrypted('?sslmode=require')).toBe(true);
    expect(await isEncrypted('?sslmode=disable')).toBe(false);
    expect(await isEncrypted('?sslmode=allow')).toBe(false);
    expect(await isEncrypted(`?sslmode=verify-ca&${root}`)).toBe(true);
    expect(await isEncrypted(`?sslmode=verify-full&${root}`, 'localhost')).toBe(true);
    // The certificate is not trusted by this machine, and is for another name than the address.
    await expect(isEncrypted('?sslmode=verify-full', 'localhost')).rejects.toThrow(/certificate/);
    await expect(isEncrypted(`?sslmode=verify-full&${root}`)).rejects.toThrow(/altnames|IP/);
  });

  test('a server without TLS is spoken to in the clear, unless TLS is required', async () => {
    const plain = await PostgresServer.primary();
    const client = await new Servers(plain.url).connect();
    await client.end();
    await expect(new Servers(`${plain.url}?sslmode=require`).connect()).rejects.toThrow('does not support SSL');
    await plain.remove();
  });
});
