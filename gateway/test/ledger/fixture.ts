// The basis of the ledger's tests: a migrated database of their own, ledgers that act as separate processes on it, and
// records of calls.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { ApiError } from '../../src/errors/api-error.ts';
import { createLedger } from '../../src/modules/ledger/create-ledger.ts';
import type { Ledger, Reservation } from '../../src/modules/ledger/ledger.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import type { Database, Notices } from '../../src/platform/db/database.ts';
import { openNotices } from '../../src/platform/db/notices.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { sessionsOf } from '../../src/platform/db/servers.ts';
import { newId, newTimedId } from '../../src/platform/ids.ts';
import { type Logger, silentLogger } from '../../src/platform/logger.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';
import { folded } from '../folded.ts';
import { PATIENCE_MS } from '../patience.ts';

export const USD = 1_000_000_000n;

export type LedgerProcess = Readonly<{
  ledger: Ledger;
  database: Database;
  notices: Notices;
  dataDir: string;
  close(): Promise<void>;
}>;

export type LedgerBed = Readonly<{
  url: string;
  /** Another process, as far as the database can tell. */
  startProcess(
    options?: Readonly<{ url?: string; clock?: Clock; logger?: Logger; dataDir?: string }>,
  ): Promise<LedgerProcess>;
  /** Plain SQL, past the ledger. */
  rows<Row extends object = Record<string, string>>(text: string, values?: unknown[]): Promise<Row[]>;
  /** The journal and all its partitions. */
  journalTables(): Promise<readonly string[]>;
  /** Resolves when every charge is in the balances, slices, counters and sums. */
  folded(): Promise<void>;
  /** Ends every process that was started, in an orderly way. */
  endProcesses(): Promise<void>;
  close(): Promise<void>;
}>;

export async function openBed(): Promise<LedgerBed> {
  const fresh: FreshDatabase = await freshDatabase();
  const client = new Client({ connectionString: fresh.url });
  await client.connect();
  client.on('error', () => {});
  const processes = new Set<LedgerProcess>();
  const folders: string[] = [];

  async function startProcess(options: Parameters<LedgerBed['startProcess']>[0] = {}): Promise<LedgerProcess> {
    const url = options.url ?? fresh.url;
    const logger = options.logger ?? silentLogger;
    const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'tollgate-ledger-')));
    folders.push(dataDir);
    const database = openDatabase(url, logger);
    const notices = await openNotices(url, logger);
    const clock = options.clock ?? systemClock;
    const ledger = await createLedger({ database, notices, connect: sessionsOf(url), dataDir, clock, logger });
    const process: LedgerProcess = {
      ledger,
      database,
      notices,
      dataDir,
      async close() {
        if (!processes.delete(process)) return;
        await ledger.close();
        await notices.close();
        await database.close();
      },
    };
    processes.add(process);
    return process;
  }

  async function endProcesses(): Promise<void> {
    await Promise.all([...processes].map((process) => process.close()));
  }

  return {
    url: fresh.url,
    startProcess,
    rows: async <Row extends object>(text: string, values: unknown[] = []) =>
      (await client.query<Row>(text, values)).rows,
    async journalTables() {
      const { rows } = await client.query<{ name: string }>(
        "select relid::regclass::text as name from pg_partition_tree('journal_entries') order by 1",
      );
      return rows.map(({ name }) => name);
    },
    folded: () => folded(async (text) => (await client.query(text)).rows),
    endProcesses,
    async close() {
      await endProcesses();
      await client.end();
      await fresh.drop();
      await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
    },
  };
}

/**
 * Tries again when the ledger asks for it, which happens when a busy machine lets it wait too long for the database.
 */
export async function patiently<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isUnavailable = error instanceof ApiError && error.status === 503;
      if (!isUnavailable || performance.now() > deadlineMs) throw error;
      await systemClock.sleep(50);
    }
  }
}

/** An open account with this much on it. */
export async function fundedAccount({ ledger, database }: LedgerProcess, amountNanoUsd: bigint): Promise<string> {
  const accountId = newId('usr');
  await ledger.openAccount(database, accountId);
  if (amountNanoUsd > 0n) {
    await ledger.credit({ accountId, amountNanoUsd, note: 'test', reference: newId('txn') });
  }
  return accountId;
}

export async function reserve(ledger: Ledger, accountId: string, amountNanoUsd: bigint): Promise<Reservation> {
  return ledger.reserve(accountId, newTimedId('gen', Date.now()), amountNanoUsd);
}
