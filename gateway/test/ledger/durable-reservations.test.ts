// Reservations that outlive a call and a process: they count against the account and every cap from the moment they are
// made, end exactly once in any process, and survive the death of the process that made them.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SpendCap } from '../../src/canonical/spend-cap.ts';
import type { DurableReservation } from '../../src/modules/ledger/ledger.ts';
import { sql } from '../../src/platform/db/database.ts';
import { newId } from '../../src/platform/ids.ts';
import { breakerOf, capOf } from '../caps/caps.ts';
import { openDoor } from './database-door.ts';
import { fundedAccount, type LedgerBed, type LedgerProcess, openBed } from './fixture.ts';
import { recordOf } from './record.ts';

let bed: LedgerBed;
let one: LedgerProcess;
let two: LedgerProcess;

beforeAll(async () => {
  bed = await openBed();
  one = await bed.startProcess();
  two = await bed.startProcess();
});

afterAll(async () => {
  expect(await one.ledger.check('everything')).toMatchObject({ ok: true, discrepancies: [], heldReservations: 0 });
  await bed.close();
});

const HOUR_MS = 3_600_000;

function holdOf(
  accountId: string,
  amountNanoUsd: bigint,
  changes: Partial<DurableReservation> = {},
): DurableReservation {
  const id = newId('gen');
  const expiresAtMs = Date.now() + HOUR_MS;
  return { id, accountId, userId: 'usr-1', keyId: 'key-1', caps: [], amountNanoUsd, expiresAtMs, ...changes };
}

const recordFor = (hold: DurableReservation, costNanoUsd: bigint) =>
  recordOf({ generationId: hold.id, accountId: hold.accountId }, costNanoUsd);

/** As many at a time as there are connections, because a slow machine gives up on callers that wait for one. */
async function inEights<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < items.length; start += 8) await Promise.all(items.slice(start, start + 8).map(work));
}

const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: { code: string }) => error.code,
  );

/** How much can still be held of an account and under caps. */
async function spendable(accountId: string, caps: readonly SpendCap[], process = two): Promise<bigint> {
  for (let amountNanoUsd = 120n; amountNanoUsd > 0n; amountNanoUsd -= 10n) {
    const held = await Promise.resolve()
      .then(() => process.ledger.reserve(accountId, newId('gen'), amountNanoUsd, caps))
      .catch(() => null);
    if (held === null) continue;
    process.ledger.release(held, null);
    return amountNanoUsd;
  }
  return 0n;
}

test('a hold counts in every process until it is settled in any of them, for what it cost', async () => {
  const accountId = await fundedAccount(one, 100n);
  const caps = [breakerOf(90n, { window: 'hour' }), capOf(80n)];
  const hold = holdOf(accountId, 70n, { caps });
  await one.ledger.reserveDurable(hold);
  expect(await spendable(accountId, [])).toBe(30n);
  expect(await spendable(accountId, caps)).toBe(10n);
  expect(await Promise.all(caps.map((cap) => two.ledger.used(cap)))).toEqual([70n, 70n]);
  expect(await one.ledger.check('everything')).toMatchObject({ ok: true, heldReservations: 1 });
  expect(await two.ledger.durable(hold.id)).toMatchObject({ state: 'held', amountNanoUsd: 70n, chargedNanoUsd: null });

  const record = recordFor(hold, 40n);
  expect(await two.ledger.settleDurable(hold.id, record)).toEqual({ chargedNanoUsd: 40n, absorbedNanoUsd: 0n });
  expect(await one.ledger.account(accountId)).toMatchObject({ balanceNanoUsd: 60n, totalSpentNanoUsd: 40n });
  expect(await spendable(accountId, [])).toBe(60n);
  expect(await spendable(accountId, caps, one)).toBe(40n);
  expect(await Promise.all(caps.map((cap) => one.ledger.used(cap)))).toEqual([40n, 40n]);
  const [row] = await bed.rows('select cost_nano_usd from generations where id = $1', [hold.id]);
  expect(row).toEqual({ cost_nano_usd: '40' });
});

test('I4 I6 I8 it ends once: a repeated settlement answers the same, and nothing else can end it', async () => {
  const accountId = await fundedAccount(one, 100n);
  const hold = holdOf(accountId, 50n);
  await one.ledger.reserveDurable(hold);
  const endings = await Promise.all([
    ...Array.from({ length: 5 }, (_, index) =>
      [one, two][index % 2]!.ledger.settleDurable(hold.id, recordFor(hold, 20n)),
    ),
  ]);
  expect(endings).toEqual(Array.from({ length: 5 }, () => ({ chargedNanoUsd: 20n, absorbedNanoUsd: 0n })));
  expect(await two.ledger.releaseDurable(hold.id, 'late')).toBe(false);
  expect(await one.ledger.account(accountId)).toMatchObject({ balanceNanoUsd: 80n });

  const released = holdOf(accountId, 50n);
  await one.ledger.reserveDurable(released);
  const ends = await Promise.all([one, two, one].map(({ ledger }) => ledger.releaseDurable(released.id, 'failed')));
  expect(ends.filter(Boolean)).toHaveLength(1);
  expect(await one.ledger.settleDurable(released.id, recordFor(released, 20n))).toBeNull();
  expect(await one.ledger.durable(released.id)).toMatchObject({ state: 'released', endedReason: 'failed' });
  expect(await spendable(accountId, [])).toBe(80n);
});

test('a job that failed leaves a record that costs nothing', async () => {
  const accountId = await fundedAccount(one, 100n);
  const hold = holdOf(accountId, 50n);
  await one.ledger.reserveDurable(hold);
  const record = { ...recordFor(hold, 0n), finishReason: 'error', upstreamStatus: 500 };
  expect(await two.ledger.releaseDurable(hold.id, 'upstream_failed', record)).toBe(true);
  expect(await two.ledger.releaseDurable(hold.id, 'upstream_failed', record)).toBe(false);
  expect(await bed.rows('select cost_nano_usd, finish_reason from generations where id = $1', [hold.id])).toEqual([
    { cost_nano_usd: '0', finish_reason: 'error' },
  ]);
  expect(await one.ledger.account(accountId)).toMatchObject({ balanceNanoUsd: 100n });
});

test('settling and releasing at once: one of them wins and the books follow it', async () => {
  const accountId = await fundedAccount(one, 10_000n);
  const holds = Array.from({ length: 40 }, () => holdOf(accountId, 50n, { caps: [capOf(100n)] }));
  await inEights(holds, (hold) => one.ledger.reserveDurable(hold));
  let chargedNanoUsd = 0n;
  const endTwice = async (hold: DurableReservation): Promise<void> => {
    const [settlement, isReleased] = await Promise.all([
      one.ledger.settleDurable(hold.id, recordFor(hold, 30n)),
      two.ledger.releaseDurable(hold.id, 'failed'),
    ]);
    expect(settlement === null).toBe(isReleased);
    chargedNanoUsd += settlement?.chargedNanoUsd ?? 0n;
  };
  await inEights(holds, endTwice);
  expect(await one.ledger.account(accountId)).toMatchObject({ totalSpentNanoUsd: chargedNanoUsd });
  expect((await one.ledger.check('everything')).discrepancies).toEqual([]);
});

test('I5 VID-20 a cost above the hold is charged where it may be and no cap stands, the rest absorbed and recorded', async () => {
  const above = async (changes: Partial<DurableReservation>, mayExceedReservation: boolean) => {
    const rich = holdOf(await fundedAccount(one, 100n), 50n, changes);
    await one.ledger.reserveDurable(rich);
    return one.ledger.settleDurable(rich.id, recordFor(rich, 70n), { mayExceedReservation });
  };
  expect(await above({}, true)).toEqual({ chargedNanoUsd: 70n, absorbedNanoUsd: 0n });
  expect(await above({}, false)).toEqual({ chargedNanoUsd: 50n, absorbedNanoUsd: 20n });
  expect(await above({ caps: [capOf(60n)] }, true)).toEqual({ chargedNanoUsd: 50n, absorbedNanoUsd: 20n });
  const hold = holdOf(await fundedAccount(one, 50n), 50n);
  await one.ledger.reserveDurable(hold);
  const settlement = await one.ledger.settleDurable(hold.id, recordFor(hold, 70n), { mayExceedReservation: true });
  expect(settlement).toEqual({ chargedNanoUsd: 50n, absorbedNanoUsd: 20n });
  const [row] = await bed.rows(
    'select cost_nano_usd, absorbed_nano_usd, absorbed_reason from generations where id = $1',
    [hold.id],
  );
  expect(row).toEqual({ cost_nano_usd: '50', absorbed_nano_usd: '20', absorbed_reason: 'exhausted' });
});

test('I6 the same order has one effect, even when the first holds all there is; another one is refused', async () => {
  const accountId = await fundedAccount(one, 100n);
  const hold = holdOf(accountId, 100n);
  await one.ledger.reserveDurable(hold);
  await two.ledger.reserveDurable(hold);
  await one.ledger.reserveDurable(hold);
  expect(await refusal(two.ledger.reserveDurable({ ...hold, amountNanoUsd: 10n }))).toBe('http_409');
  expect(await bed.rows('select held_nano_usd from accounts where id = $1', [accountId])).toEqual([
    { held_nano_usd: '100' },
  ]);
  await one.ledger.releaseDurable(hold.id, 'done');
  expect(await spendable(accountId, [])).toBe(100n);
});

test("the caller's own rows stand or fall with the hold", async () => {
  const accountId = await fundedAccount(one, 100n);
  await bed.rows('create table jobs (id text primary key)');
  const insert = sql('test_insert_job', 'insert into jobs (id) values ($1)');
  const kept = holdOf(accountId, 60n);
  await one.ledger.reserveDurable(kept, async (transaction) => void (await transaction.query(insert, [kept.id])));
  const failed = holdOf(accountId, 40n, { caps: [capOf(40n)] });
  const failing = one.ledger.reserveDurable(failed, async (transaction) => {
    await transaction.query(insert, [failed.id]);
    throw new Error('changed my mind');
  });
  await expect(failing).rejects.toThrow('changed my mind');
  expect(await bed.rows('select id from jobs')).toEqual([{ id: kept.id }]);
  expect(await one.ledger.durable(failed.id)).toBeNull();
  expect(await spendable(accountId, failed.caps)).toBe(40n);
  await one.ledger.releaseDurable(kept.id, 'done');
});

test.each([
  ['insufficient_credits', []],
  ['spend_limit_exceeded', [capOf(30n)]],
  ['http_429', [breakerOf(0n)]],
] as const)('one that cannot be carried is refused as a call is: %s', async (code, caps) => {
  const accountId = await fundedAccount(one, 30n);
  expect(await refusal(one.ledger.reserveDurable(holdOf(accountId, 100_000_001n, { caps })))).toBe(code);
  expect(await spendable(accountId, [])).toBe(30n);
});

test('RACE-1 of 100 durable reservations at once for 10, exactly 10 stand: two processes', async () => {
  const accountId = await fundedAccount(one, 1_000n);
  const caps = [capOf(100n)];
  const holds = Array.from({ length: 100 }, () => holdOf(accountId, 10n, { caps }));
  const refusals = await Promise.all(
    holds.map((hold, index) => refusal([one, two][index % 2]!.ledger.reserveDurable(hold))),
  );
  expect(refusals.filter((code) => code === null)).toHaveLength(10);
  expect(refusals.filter((code) => code === 'spend_limit_exceeded')).toHaveLength(90);
  await Promise.all(holds.map((hold) => one.ledger.settleDurable(hold.id, recordFor(hold, 10n))));
  expect(await one.ledger.used(caps[0]!)).toBe(100n);
});

test('one whose time runs out goes back by itself, to its caps too', async () => {
  const accountId = await fundedAccount(one, 100n);
  const caps = [capOf(100n)];
  const hold = holdOf(accountId, 90n, { caps, expiresAtMs: Date.now() - 1 });
  await one.ledger.reserveDurable(hold);
  await expect.poll(() => one.ledger.durable(hold.id)).toMatchObject({ state: 'expired' });
  expect(await one.ledger.settleDurable(hold.id, recordFor(hold, 10n))).toBeNull();
  expect(await spendable(accountId, caps)).toBe(100n);
});

test('I12 it is settled under the caps that it was made under, whatever has changed since', async () => {
  const accountId = await fundedAccount(one, 100n);
  const before = capOf(100n, { scope: 'team' });
  const hold = holdOf(accountId, 50n, { caps: [before] });
  await one.ledger.reserveDurable(hold);
  await two.ledger.settleDurable(hold.id, recordFor(hold, 50n));
  expect(await one.ledger.used(before)).toBe(50n);
  expect(await bed.rows('select team_id from generations where id = $1', [hold.id])).toEqual([
    { team_id: before.scopeId },
  ]);
});

test('PGLOSS an answer that is lost on the way: the hold can be asked for again and stands once', async () => {
  const door = await openDoor(bed.url);
  const far = await bed.startProcess({ url: door.url });
  const accountId = await fundedAccount(far, 100n);
  far.ledger.release(await far.ledger.reserve(accountId, newId('gen'), 60n), null);
  const hold = holdOf(accountId, 60n);
  const failing = far.ledger.reserveDurable(hold, async () => {
    await door.shut();
  });
  await expect(failing).rejects.toMatchObject({ status: 503 });
  await door.open();
  await expect.poll(() => far.ledger.status().isServing).toBe(true);
  await far.ledger.reserveDurable(hold);
  expect(await far.ledger.settleDurable(hold.id, recordFor(hold, 60n))).toMatchObject({ chargedNanoUsd: 60n });
  expect(await far.ledger.account(accountId)).toMatchObject({ balanceNanoUsd: 40n });
  await far.close();
  await door.close();
  expect(await spendable(accountId, [])).toBe(40n);
});

const program = fileURLToPath(new URL('./hold-until-killed.ts', import.meta.url));

test('CRASH-1 a process killed while it holds, settles and releases: what it was told stands, and others end the rest', async () => {
  const accountId = await fundedAccount(one, 1_000_000n);
  const { dataDir } = one;
  const child = spawn(process.execPath, ['--import', 'tsx', program, bed.url, accountId, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await expect.poll(() => output.split('\n').length).toBeGreaterThan(60);
  child.kill('SIGKILL');
  await once(child, 'exit');

  const rows = await bed.rows('select id, state from reservations where account_id = $1', [accountId]);
  const states = new Map(rows.map(({ id, state }) => [id, state]));
  const told = output
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ') as [string, string]);
  for (const [verb, id] of told) {
    if (verb === 'held') expect(states.has(id), id).toBe(true);
    else expect(states.get(id), id).toBe(verb);
  }
  const slices = () => bed.rows('select 1 from account_slices where account_id = $1', [accountId]);
  await expect.poll(slices).toEqual([]);
  expect((await one.ledger.check('everything')).discrepancies).toEqual([]);

  const open = rows.filter(({ state }) => state === 'held');
  expect(open.length).toBeGreaterThan(5);
  for (const { id } of open) {
    expect(await one.ledger.settleDurable(id!, recordOf({ generationId: id!, accountId }, 7n))).not.toBeNull();
  }
  const settled = rows.filter(({ state }) => state === 'settled' || state === 'held').length;
  expect(await one.ledger.account(accountId)).toMatchObject({ totalSpentNanoUsd: BigInt(7 * settled) });
  expect(
    await bed.rows("select 1 from spend_counters where scope_id = 'key-of-the-killed' and held_nano_usd > 0"),
  ).toEqual([]);
});

test('the audit tells a hold that does not add up, and a charge that does not fit its hold', async () => {
  const other = await openBed();
  const process = await other.startProcess();
  const accountId = await fundedAccount(process, 100n);
  const cap = capOf(100n);
  const hold = holdOf(accountId, 50n, { caps: [cap] });
  await process.ledger.reserveDurable(hold);
  await other.rows('update spend_counters set held_nano_usd = held_nano_usd + 1');
  expect((await process.ledger.check('everything')).discrepancies).toEqual([
    expect.stringContaining('held is $0.000000051'),
  ]);
  await other.rows('update spend_counters set held_nano_usd = held_nano_usd - 1');
  await process.ledger.settleDurable(hold.id, recordFor(hold, 50n));
  await other.rows('alter table reservations disable trigger user');
  await other.rows('update reservations set charged_nano_usd = 49');
  expect((await process.ledger.check('everything')).discrepancies).toEqual([
    expect.stringContaining('settled with $0.000000049 of $0.00000005'),
  ]);
  await other.close();
});
