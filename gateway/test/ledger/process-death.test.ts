// Processes die, hang and lose their connections. Everything that they had leased comes back, no charge is lost, and
// nothing is spent twice.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { fundedAccount, type LedgerBed, openBed, USD } from './fixture.ts';
import { recordOf, settled } from './record.ts';

let bed: LedgerBed;

beforeAll(async () => {
  bed = await openBed();
});

afterEach(async () => {
  await bed.endProcesses();
});

afterAll(async () => {
  await bed.close();
});

const leased = async (accountId: string) =>
  (await bed.rows('select leased_nano_usd from accounts where id = $1', [accountId]))[0]?.leased_nano_usd;

const claims = () =>
  bed.rows<{ pid: number }>(
    `select distinct pid from pg_locks where locktype = 'advisory' and granted
     and database = (select oid from pg_database where datname = current_database())`,
  );

/** Ends the connections that hold the processes' advisory locks, and waits until all have been claimed again. */
async function cutClaims(): Promise<void> {
  const before = (await claims()).map(({ pid }) => pid);
  await bed.rows('select pg_terminate_backend(pid) from unnest($1::int[]) as t (pid)', [before]);
  await expect.poll(async () => (await claims()).filter(({ pid }) => !before.includes(pid)).length).toBe(before.length);
}

test('CRASH-2 a killed process loses nothing that it charged, and all that it held comes back', async () => {
  const survivor = await bed.startProcess();
  const accountId = await fundedAccount(survivor, 10n * USD);
  const program = fileURLToPath(new URL('./spend-until-killed.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', program, bed.url, accountId, survivor.dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let told = '';
  child.stdout.on('data', (bytes: Buffer) => {
    told += bytes.toString();
  });
  await expect.poll(() => told.split('\n').length).toBeGreaterThan(30);
  expect(Number(await leased(accountId))).toBeGreaterThan(0);
  child.kill('SIGKILL');
  await once(child, 'close');

  // The survivor needs what the dead process had leased, and must not be refused for it. Only on a server that has just
  // started, a lock that nobody holds does not prove a death yet.
  const age = "select clock_timestamp() - pg_postmaster_start_time() > interval '3 seconds' as old";
  await expect.poll(() => bed.rows(age)).toEqual([{ old: true }]);
  await expect
    .poll(() => bed.rows("select pid from pg_stat_activity where application_name = 'spend-until-killed'"))
    .toEqual([]);
  const { balanceNanoUsd } = await survivor.ledger.account(accountId);
  survivor.ledger.release(await survivor.ledger.reserve(accountId, newId('gen'), balanceNanoUsd), null);

  const toldIds = told.split('\n').filter((line) => line.startsWith('gen-') && line.length === 28);
  const charged = await bed.rows('select generation_id as id from journal_entries where debit_account_id = $1', [
    accountId,
  ]);
  const chargedIds = new Set(charged.map(({ id }) => id));
  expect(toldIds.filter((id) => !chargedIds.has(id))).toEqual([]);
  expect(await survivor.ledger.check('everything')).toMatchObject({ ok: true, discrepancies: [], heldReservations: 0 });
  expect(await bed.rows('select id from processes')).toHaveLength(1);
});

test('a start sweeps the dead before it serves', async () => {
  const first = await bed.startProcess();
  const accountId = await fundedAccount(first, 100n);
  await bed.rows("insert into processes (id) values ('prc-dead')");
  await bed.rows("insert into account_slices values ($1, 'prc-dead', 60)", [accountId]);
  await bed.rows('update accounts set leased_nano_usd = leased_nano_usd + 60 where id = $1', [accountId]);
  await bed.startProcess();
  expect(await leased(accountId)).toBe('0');
  expect((await first.ledger.check('everything')).ok).toBe(true);
});

test('a process that hangs is swept when it has not renewed for 30 seconds, although it holds its lock', async () => {
  const hung = await bed.startProcess();
  const accountId = await fundedAccount(hung, 100n);
  hung.ledger.release(await hung.ledger.reserve(accountId, newId('gen'), 60n), null);
  expect(await leased(accountId)).toBe('60');
  const [before] = await bed.rows('select id from processes');
  await bed.rows("update processes set renewed_at = now() - interval '15 seconds'");
  const other = await bed.startProcess();
  expect(await leased(accountId)).toBe('60');
  await bed.rows("update processes set renewed_at = now() - interval '31 seconds' where id = $1", [before!.id]);
  await expect.poll(() => leased(accountId)).toBe('0');
  expect((await other.ledger.check('everything')).ok).toBe(true);
});

test('a process whose connection is cut claims its slices again and goes on as if nothing had happened', async () => {
  const only = await bed.startProcess();
  const accountId = await fundedAccount(only, 100n);
  const held = await only.ledger.reserve(accountId, newId('gen'), 60n);
  const [before] = await bed.rows('select id from processes');
  await cutClaims();
  await expect.poll(() => only.ledger.status().isServing).toBe(true);
  const further = await only.ledger.reserve(accountId, newId('gen'), 40n);
  expect(await bed.rows('select id from processes')).toEqual([before]);
  await settled(only.ledger, held, recordOf(held, 60n));
  await settled(only.ledger, further, recordOf(further, 40n));
  expect(await only.ledger.account(accountId)).toMatchObject({ balanceNanoUsd: 0n });
});

test('a swept process serves on under a new id, and what it held settles as far as the balance goes', async () => {
  const only = await bed.startProcess();
  const accountId = await fundedAccount(only, 100n);
  const [one, two, three] = await Promise.all(
    [50n, 30n, 10n].map((amount) => only.ledger.reserve(accountId, newId('gen'), amount)),
  );
  const [before] = await bed.rows('select id from processes');
  // Swept from outside, and then spent by someone else.
  await bed.rows('begin');
  await bed.rows('delete from account_slices');
  await bed.rows('update accounts set leased_nano_usd = 0');
  await bed.rows('delete from processes');
  await bed.rows('commit');
  const other = await bed.startProcess();
  const elsewhere = await other.ledger.reserve(accountId, newId('gen'), 45n);
  await cutClaims();
  await expect.poll(() => bed.rows('select id from processes')).toHaveLength(2);
  expect(await bed.rows('select id from processes where id = $1', [before!.id])).toEqual([]);
  await expect.poll(() => only.ledger.status().isServing).toBe(true);

  expect(await only.ledger.extend(two!, 0n)).toBe(true);
  expect(two!.amountNanoUsd()).toBe(30n);
  expect(await settled(only.ledger, one!, recordOf(one!, 50n))).toEqual({ chargedNanoUsd: 25n, absorbedNanoUsd: 25n });
  expect(await settled(only.ledger, two!, recordOf(two!, 30n))).toEqual({ chargedNanoUsd: 30n, absorbedNanoUsd: 0n });
  only.ledger.release(three!, null);
  expect(await settled(other.ledger, elsewhere, recordOf(elsewhere, 45n))).toMatchObject({ chargedNanoUsd: 45n });
  expect(await other.ledger.account(accountId)).toMatchObject({ balanceNanoUsd: 0n });
  expect(await other.ledger.check('everything')).toMatchObject({ ok: true, discrepancies: [] });
});

test('a claim that the server still counts as held is given up for a new id, and its slices return', async () => {
  const only = await bed.startProcess();
  const accountId = await fundedAccount(only, 100n);
  only.ledger.release(await only.ledger.reserve(accountId, newId('gen'), 90n), null);
  const [before] = await bed.rows('select id from processes');
  // Stands for a connection that is gone for the process but not yet for the server.
  const ghost = new Client({ connectionString: bed.url });
  await ghost.connect();
  const haunted = ghost.query("select pg_advisory_lock(hashtextextended('process ' || $1, 0))", [before!.id]);
  await expect
    .poll(() => bed.rows("select 1 from pg_locks where locktype = 'advisory' and not granted"))
    .toHaveLength(1);
  await bed.rows('select pg_terminate_backend(pid) from unnest($1::int[]) as t (pid)', [
    (await claims()).map(({ pid }) => pid),
  ]);
  await haunted;
  await expect.poll(() => bed.rows('select id from processes')).not.toEqual([before]);
  await expect.poll(() => only.ledger.status().isServing).toBe(true);
  only.ledger.release(await only.ledger.reserve(accountId, newId('gen'), 100n), null);
  expect((await only.ledger.check('everything')).ok).toBe(true);
  await ghost.end();
});

test('a lease tells a process that it was swept', async () => {
  const only = await bed.startProcess();
  const accountId = await fundedAccount(only, 100n);
  await bed.rows('delete from processes');
  await expect(only.ledger.reserve(accountId, newId('gen'), 1n)).rejects.toMatchObject({ status: 503 });
  await expect.poll(() => only.ledger.status().isServing).toBe(true);
  only.ledger.release(await only.ledger.reserve(accountId, newId('gen'), 100n), null);
});

test('leaving returns every slice and forgets the process', async () => {
  const [leaving, staying] = [await bed.startProcess(), await bed.startProcess()];
  const accountId = await fundedAccount(leaving, 100n);
  leaving.ledger.release(await leaving.ledger.reserve(accountId, newId('gen'), 70n), null);
  await leaving.close();
  expect(await leased(accountId)).toBe('0');
  expect(await bed.rows('select id from processes')).toHaveLength(1);
  expect((await staying.ledger.check('everything')).ok).toBe(true);
});

test('idle slices return to the account, with what is still held left in place', async () => {
  let nowMs = 0;
  const scans: (() => void)[] = [];
  const clock = {
    nowMs: () => Date.now(),
    monotonicMs: () => nowMs,
    every: (intervalMs: number, run: () => void) => {
      if (intervalMs === 5_000) scans.push(run);
      return () => {};
    },
    sleep: (durationMs: number) => new Promise<void>((resolve) => setTimeout(resolve, durationMs)),
  };
  const only = await bed.startProcess({ clock });
  const accountId = await fundedAccount(only, 100n);
  const held = await only.ledger.reserve(accountId, newId('gen'), 20n);
  expect(await leased(accountId)).toBe('50');
  // Within the claim's 20 seconds by this clock, which is then set back, nothing is idle yet.
  nowMs = 59_999;
  for (const scan of scans) scan();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await leased(accountId)).toBe('50');
  nowMs = 60_001;
  for (const scan of scans) scan();
  await expect.poll(() => leased(accountId)).toBe('20');
  nowMs = 1;
  expect(await settled(only.ledger, held, recordOf(held, 20n))).toMatchObject({ chargedNanoUsd: 20n });
  nowMs = 200_000;
  // Charged amounts are not returned but folded, and then the rest of the slice is returned.
  const scanAndLook = () => {
    for (const scan of scans) scan();
    return bed.rows('select 1 from account_slices');
  };
  await expect.poll(scanAndLook).toEqual([]);
  await expect.poll(() => only.ledger.status().slices).toBe(0);
  expect((await only.ledger.check('everything')).ok).toBe(true);
});

test('the memory of slices is bounded: beyond it the longest unused go', async () => {
  const only = await bed.startProcess();
  for (let index = 0; index < 21_000; index += 1) {
    only.ledger.release(await only.ledger.reserve(`usr-${index}`, newId('gen'), 0n), null);
  }
  await expect.poll(() => only.ledger.status().slices).toBeLessThanOrEqual(20_000);
});

test('a durable reservation counts against the account until its time runs out', async () => {
  const only = await bed.startProcess();
  const accountId = await fundedAccount(only, 100n);
  await bed.rows(
    "insert into reservations (id, account_id, amount_nano_usd, expires_at) values ('gen-1', $1, 70, now() + interval '1 hour')",
    [accountId],
  );
  await bed.rows('update accounts set held_nano_usd = 70 where id = $1', [accountId]);
  await expect(only.ledger.reserve(accountId, newId('gen'), 31n)).rejects.toMatchObject({ status: 402 });
  expect(await only.ledger.check('everything')).toMatchObject({ ok: true, heldReservations: 1 });
  await bed.rows("update reservations set expires_at = now() - interval '1 second'");
  await expect.poll(() => bed.rows('select state from reservations')).toEqual([{ state: 'expired' }]);
  only.ledger.release(await only.ledger.reserve(accountId, newId('gen'), 100n), null);
  await expect(bed.rows("update reservations set state = 'held', ended_at = null")).rejects.toThrow('exactly once');
});
