// Gateways under load while something less than a fail-over happens to their database. One of the two is connected
// directly, the other through a pooler, on a machine whose clock is ten minutes ahead. Calls that a trouble does not
// affect must be served all the time; affected calls are refused, and served again afterwards; and every charge is in
// the books as the client was told.

import { spawnSync } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { Gateways } from '../scale/gateways.ts';
import { differencesOf, Load, type LoadedCall, settled } from './load.ts';
import { PgBouncer } from './pgbouncer.ts';
import { PostgresServer } from './postgres-server.ts';
import { account } from './programs.ts';

export const TROUBLES = ['stuck account', 'locked table', 'hung pooler', 'full disk'] as const;
export type Trouble = (typeof TROUBLES)[number];

export type TroubleReport = Readonly<{
  calls: number;
  served: number;
  /** Calls that began during the trouble and were not affected by it. */
  refusedOthers: number;
  differences: readonly string[];
  /** Calls that were recorded with a time that the database had not reached. */
  recordedAhead: number;
  ledger: Readonly<Record<string, unknown>>;
}>;

const CLOCK_AHEAD = fileURLToPath(new URL('./clock-ahead.mjs', import.meta.url));
/** Of the gateways; the other one is the first. */
const POOLED = 1;
/** No multiple of the number of gateways, so that each account calls both. */
const ACCOUNTS = 5;
const STUCK = 2;
const TROUBLE_MS = 5_000;
const DISK_MEGABYTES = 256;

export class TroubledGateways {
  readonly #server: PostgresServer;
  readonly #bouncer: PgBouncer;
  readonly #gateways: Gateways;
  /** A small file system, which only root can make. */
  readonly #disk: string | null;
  readonly #accounts: readonly Readonly<{ userId: string; key: string }>[];

  private constructor(
    parts: Readonly<{ server: PostgresServer; bouncer: PgBouncer; gateways: Gateways; disk: string | null }>,
    accounts: readonly Readonly<{ userId: string; key: string }>[],
  ) {
    this.#server = parts.server;
    this.#bouncer = parts.bouncer;
    this.#gateways = parts.gateways;
    this.#disk = parts.disk;
    this.#accounts = accounts;
  }

  static async start(): Promise<TroubledGateways> {
    const server = await PostgresServer.primary();
    const disk = await moveToSmallDisk(server);
    const bouncer = await PgBouncer.start(server.url, 'transaction');
    const gateways = await Gateways.start({ databaseUrl: server.url, count: 1 });
    await gateways.add(undefined, {
      DATABASE_URL: bouncer.url,
      DATABASE_DIRECT_URL: server.url,
      NODE_OPTIONS: `--import ${CLOCK_AHEAD}`,
    });
    const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => gateways.account(100)));
    return new TroubledGateways({ server, bouncer, gateways, disk }, accounts);
  }

  async close(): Promise<void> {
    await this.#gateways.close();
    await this.#bouncer.stop();
    await this.#server.remove();
    if (this.#disk === null) return;
    spawnSync('umount', ['-l', this.#disk]);
    await rm(this.#disk, { recursive: true, force: true });
  }

  canHave(trouble: Trouble): boolean {
    return trouble !== 'full disk' || this.#disk !== null;
  }

  async have(trouble: Trouble, rate: number | null): Promise<TroubleReport> {
    const keys = this.#accounts.map(({ key }) => key);
    const load = new Load({ gateways: this.#gateways, keys, rate });
    load.start();
    await load.untilCharged(20);
    const beganMs = performance.now();
    await this.#during(trouble, () => sleep(TROUBLE_MS));
    const endedMs = performance.now();
    await load.untilAllServe();
    await load.untilCharged(20);
    await load.stop();
    const meanwhile = load.seen.filter(({ startedMs }) => startedMs > beganMs && startedMs < endedMs);
    const others = meanwhile.filter(({ index }) => !this.#concerns(trouble, index));
    return {
      calls: load.seen.length,
      served: load.charged,
      refusedOthers: others.filter(isRefused).length,
      differences: await settled(() => differencesOf(this.#server, load.seen)),
      recordedAhead: await this.#recordedAhead(),
      ledger: await this.#gateways.operate('GET', '/admin/v1/ledger/check?full=true'),
    };
  }

  #concerns(trouble: Trouble, index: number): boolean {
    if (trouble === 'stuck account') return index % ACCOUNTS === STUCK;
    if (trouble === 'hung pooler') return index % this.#gateways.all.length === POOLED;
    return true;
  }

  async #during(trouble: Trouble, work: () => Promise<void>): Promise<void> {
    if (trouble === 'stuck account') {
      await this.#holding(`select from accounts where id = '${this.#accounts[STUCK]?.userId}' for update`, work);
    } else if (trouble === 'locked table') {
      await this.#holding('lock table journal_entries in access exclusive mode', work);
    } else if (trouble === 'hung pooler') {
      this.#bouncer.freeze();
      await work();
      this.#bouncer.thaw();
    } else {
      const ballast = join(this.#disk ?? '', 'ballast');
      spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=64k']);
      await work();
      await rm(ballast);
    }
  }

  /** In a transaction of somebody else's. */
  async #holding(statement: string, work: () => Promise<void>): Promise<void> {
    const client = new Client({ connectionString: this.#server.url });
    await client.connect();
    await client.query('begin');
    await client.query(statement);
    await work();
    await client.end();
  }

  async #recordedAhead(): Promise<number> {
    const [row] = await this.#server.query<{ count: number }>(
      `select count(*)::integer as count from generations where created_at > now() + interval '1 minute'`,
    );
    return row?.count ?? Number.NaN;
  }
}

const isRefused = ({ costUsd }: LoadedCall): boolean => costUsd === null;

async function moveToSmallDisk(server: PostgresServer): Promise<string | null> {
  if (process.getuid?.() !== 0 || spawnSync('unshare', ['-m', 'true']).status !== 0) return null;
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-disk-'));
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MEGABYTES}m`, 'tollgate-test', folder]);
  if (account.uid !== undefined) await chown(folder, account.uid, account.gid ?? 0);
  await server.query(`create tablespace small location '${folder}'`, 'postgres');
  await server.query('alter database tollgate set tablespace small', 'postgres');
  return folder;
}
