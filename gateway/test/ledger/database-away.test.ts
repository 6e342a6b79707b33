// The database goes away while calls are running: new calls are asked to come back, running ones end and are charged,
// and when the database returns it has every promised charge once.

import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { type DatabaseDoor, openDoor } from './database-door.ts';
import { fundedAccount, type LedgerBed, openBed, USD } from './fixture.ts';
import { recordOf, settled } from './record.ts';

let bed: LedgerBed;
let door: DatabaseDoor;

beforeAll(async () => {
  bed = await openBed();
  door = await openDoor(bed.url);
});

afterEach(async () => {
  await bed.endProcesses();
});

afterAll(async () => {
  await bed.close();
  await door.close();
});

const chargesOf = (accountId: string) =>
  bed.rows("select generation_id from journal_entries where kind = 'charge' and debit_account_id = $1", [accountId]);

test('PGLOSS running calls settle into the journal, new ones get 503, and the return replays each charge once', async () => {
  const gateway = await bed.startProcess({ url: door.url });
  const accountId = await fundedAccount(gateway, 10n * USD);
  const { ledger } = gateway;
  const held = await Promise.all(Array.from({ length: 20 }, () => ledger.reserve(accountId, newId('gen'), USD / 4n)));
  await door.shut();

  const settlements = await Promise.all(
    held.map((reservation, index) => settled(ledger, reservation, recordOf(reservation, BigInt(index + 1)))),
  );
  expect(settlements.map(({ chargedNanoUsd }) => chargedNanoUsd)).toEqual(held.map((_, index) => BigInt(index + 1)));
  expect(ledger.status()).toMatchObject({ isServing: false, journaledSettlements: 20 });
  expect(await chargesOf(accountId)).toEqual([]);

  for (let attempt = 0; attempt < 3; attempt += 1) {
    const refusal = await Promise.resolve()
      .then(() => ledger.reserve(accountId, newId('gen'), 1n))
      .catch((error: unknown) => error);
    expect(refusal).toMatchObject({ status: 503, retryAfterSeconds: expect.any(Number) });
  }
  await expect(ledger.account(accountId)).rejects.toMatchObject({ status: 503 });

  await door.open();
  await expect.poll(() => ledger.status()).toMatchObject({ isServing: true, journaledSettlements: 0 });
  expect(await chargesOf(accountId)).toHaveLength(20);
  expect(await ledger.account(accountId)).toMatchObject({ balanceNanoUsd: 10n * USD - 210n });
  // The slice is unchanged: all that is left can be held, and the audit is clean.
  ledger.release(await ledger.reserve(accountId, newId('gen'), 10n * USD - 210n), null);
  expect(await ledger.check('everything')).toMatchObject({ ok: true, heldReservations: 0 });
  expect(await readdir(join(gateway.dataDir, 'journal'))).toEqual([]);
});

test('PGLOSS a server that hangs does not hold up the end of a call', async () => {
  const gateway = await bed.startProcess({ url: door.url });
  const accountId = await fundedAccount(gateway, USD);
  const held = await gateway.ledger.reserve(accountId, newId('gen'), 10n);
  door.stall();
  expect(await settled(gateway.ledger, held, recordOf(held, 7n))).toMatchObject({ chargedNanoUsd: 7n });
  await door.shut();
  await door.open();
  await expect.poll(() => gateway.ledger.status()).toMatchObject({ isServing: true, journaledSettlements: 0 });
  expect(await gateway.ledger.account(accountId)).toMatchObject({ totalSpentNanoUsd: 7n });
});

test('PGLOSS what was leased with an answer that was lost comes back when another process needs it', async () => {
  const deaf = await bed.startProcess({ url: door.url });
  const other = await bed.startProcess();
  const accountId = await fundedAccount(deaf, 100n);
  door.mute();
  const lost = Promise.resolve(deaf.ledger.reserve(accountId, newId('gen'), 60n)).catch((error: unknown) => error);
  const leased = () => bed.rows('select 1 from accounts where id = $1 and leased_nano_usd > 0', [accountId]);
  await expect.poll(leased).toHaveLength(1);
  await door.shut();
  expect(await lost).toMatchObject({ status: 503 });
  await door.open();
  await expect.poll(() => deaf.ledger.status().isServing).toBe(true);

  const all = () => Promise.resolve(other.ledger.reserve(accountId, newId('gen'), 100n)).catch(() => null);
  await expect.poll(all).not.toBeNull();
  expect((await other.ledger.check('everything')).discrepancies).toEqual([]);
});

test('CRASH-1 a journal is replayed by the next start on its folder, torn last line and repetition included', async () => {
  const first = await bed.startProcess({ url: door.url });
  const accountId = await fundedAccount(first, USD);
  const held = await Promise.all([1, 2, 3].map(() => first.ledger.reserve(accountId, newId('gen'), 10n)));
  await door.shut();
  await Promise.all(held.map((reservation) => settled(first.ledger, reservation, recordOf(reservation, 5n))));
  await first.close();
  await door.open();

  const folder = join(first.dataDir, 'journal');
  const [name] = await readdir(folder);
  const path = join(folder, name!);
  const text = await readFile(path, 'utf8');
  await appendFile(path, text.trimEnd().slice(0, -20));
  // The same settlements in the file of another process that has died.
  await writeFile(join(folder, 'prc-000000000000000000000000.jsonl'), text);

  const second = await bed.startProcess({ dataDir: first.dataDir });
  expect(await chargesOf(accountId)).toHaveLength(3);
  expect(await second.ledger.account(accountId)).toMatchObject({ balanceNanoUsd: USD - 15n });
  expect(await readdir(folder)).toEqual([]);
  expect((await second.ledger.check('everything')).discrepancies).toEqual([]);
});

test('a line of the journal that was damaged is set aside and stops no other', async () => {
  const first = await bed.startProcess({ url: door.url });
  const accountId = await fundedAccount(first, USD);
  const held = await Promise.all([1, 2, 3].map(() => first.ledger.reserve(accountId, newId('gen'), 10n)));
  await door.shut();
  await Promise.all(held.map((reservation) => settled(first.ledger, reservation, recordOf(reservation, 5n))));
  await first.close();
  await door.open();
  const folder = join(first.dataDir, 'journal');
  const path = join(folder, (await readdir(folder))[0]!);
  const lines = (await readFile(path, 'utf8')).split('\n');
  await writeFile(
    path,
    lines.map((line, index) => (index === 2 ? line.replace('"charge":"5"', '"charge":"6"') : line)).join('\n'),
  );

  const second = await bed.startProcess({ dataDir: first.dataDir });
  expect(await chargesOf(accountId)).toHaveLength(2);
  expect(await readdir(folder)).toEqual(['dead-letter.txt']);
  expect((await second.ledger.check('everything')).ok).toBe(true);
});

test('a settlement that the database refuses is buried, is told as not charged, and holds up no other', async () => {
  const gateway = await bed.startProcess();
  const { ledger } = gateway;
  await bed.rows("alter table generations add check (model_id <> 'bad/model')");
  const accountId = await fundedAccount(gateway, 100n);
  const held = await Promise.all(Array.from({ length: 9 }, () => ledger.reserve(accountId, newId('gen'), 10n)));
  const settlements = await Promise.all(
    held.map((reservation, index) =>
      settled(ledger, reservation, recordOf(reservation, 10n, index === 4 ? { modelId: 'bad/model' } : {})),
    ),
  );
  expect(settlements.map(({ chargedNanoUsd }) => chargedNanoUsd)).toEqual(
    held.map((_, index) => (index === 4 ? 0n : 10n)),
  );
  expect(settlements[4]?.absorbedNanoUsd).toBe(10n);
  expect(await readFile(join(gateway.dataDir, 'journal', 'dead-letter.txt'), 'utf8')).toContain(held[4]!.generationId);
  ledger.release(await ledger.reserve(accountId, newId('gen'), 20n), null);
  expect(await ledger.check('everything')).toMatchObject({ ok: true, discrepancies: [] });
});
