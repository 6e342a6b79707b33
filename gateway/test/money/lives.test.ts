// Thousands of random lives of accounts on two processes at once, against a model that only adds and subtracts: money
// is neither created nor lost, no cap is exceeded, nothing that fits is refused for good, and the books say what
// happened.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccountTerms } from '../../src/modules/ledger/account-terms.ts';
import { createEntries } from '../../src/modules/ledger/entries.ts';
import { newId } from '../../src/platform/ids.ts';
import { SetClock } from '../caps/set-clock.ts';
import { type LedgerProcess, openBed } from '../ledger/fixture.ts';
import { CLOCK_TURNS, type Life, life } from './life.ts';
import { LifeModel } from './life-model.ts';
import { endLife, expectSound, insist, take, type World } from './live.ts';

/** Raised for long runs: `npm run fuzz:ledger -- --runs N`. */
const RUNS = Number(process.env.TOLLGATE_LEDGER_RUNS ?? 2_000);
/** A failure names the seed of its life, which can then be run again alone. */
const SEED = process.env.TOLLGATE_LEDGER_SEED;
const LIVES_AT_ONCE = 100;
/** Of each batch: 200 lives of the usual run. */
const STATEMENTS_AT_ONCE = 10;
const STATEMENTS_IN_ROUND = 2;
const START = '2028-02-28T22:58:00Z';

const clock = new SetClock(START);
let world: World;

beforeAll(async () => {
  const bed = await openBed();
  const [{ name } = { name: '' }] = await bed.rows<{ name: string }>('select current_database() as name');
  await bed.rows(`alter database ${name} set synchronous_commit = off`);
  world = { bed, processes: [await bed.startProcess({ clock }), await bed.startProcess({ clock })] };
});

afterAll(() => world.bed.close());

async function begin({ creditNanoUsd, creditLineNanoUsd }: Life): Promise<LifeModel> {
  const { ledger, database, notices } = world.processes[0] as LedgerProcess;
  const accountId = newId('usr');
  const kind = creditLineNanoUsd > 0n ? 'monthly' : 'prepaid';
  const terms = createAccountTerms({ database, notices, clock });
  await insist(() => terms.open(database, accountId, { kind, creditLineNanoUsd }));
  const reference = newId('txn');
  await insist(() => ledger.credit({ accountId, amountNanoUsd: creditNanoUsd, note: 'test', reference }));
  return new LifeModel({ accountId, creditedNanoUsd: creditNanoUsd, creditLineNanoUsd, nowMs: clock.nowMs });
}

type Running = { readonly seed: number; readonly life: Life; readonly model: LifeModel; failure: unknown };

/** The first problem in a life ends it; the others go on. */
async function within(running: Running, work: () => void | Promise<void>): Promise<void> {
  if (running.failure !== null) return;
  try {
    await work();
  } catch (error) {
    running.failure = error;
  }
}

const byAccount = <Row extends { id: string }>(rows: readonly Row[]) => new Map(rows.map((row) => [row.id, row]));

/** On a busy machine, a batch may have gone to the journal. */
async function untilWritten(): Promise<void> {
  const status = () => world.processes.map(({ ledger }) => ledger.status());
  await expect
    .poll(() => status().every((each) => each.isServing && each.journaledSettlements + each.queuedSettlements === 0), {
      interval: 5,
    })
    .toBe(true);
  await world.bed.folded();
}

async function compareAccounts(lives: readonly Running[]): Promise<void> {
  const ids = lives.map(({ model }) => model.accountId);
  const rows = byAccount(
    await world.bed.rows<{ id: string; balance: string; held: string }>(
      'select id, balance_nano_usd as balance, held_nano_usd as held from accounts where id = any ($1)',
      [ids],
    ),
  );
  for (const running of lives) {
    const { model } = running;
    await within(running, () => {
      const row = rows.get(model.accountId);
      expect(row?.balance).toBe(model.balanceNanoUsd.toString());
      expect(row?.held).toBe(model.durableNanoUsd.toString());
    });
  }
}

async function compareRecords(lives: readonly Running[]): Promise<void> {
  const rows = byAccount(
    await world.bed.rows<{ id: string; recorded: string; rolled_up: string }>(
      `select a.id,
              (select coalesce(sum(cost_nano_usd), 0) from generations where account_id = a.id) as recorded,
              (select coalesce(sum(cost_nano_usd), 0) from usage_daily where account_id = a.id) as rolled_up
       from accounts a where a.id = any ($1)`,
      [lives.map(({ model }) => model.accountId)],
    ),
  );
  for (const running of lives) {
    const charged = running.model.chargedNanoUsd.toString();
    await within(running, () =>
      expect(rows.get(running.model.accountId)).toMatchObject({ recorded: charged, rolled_up: charged }),
    );
  }
}

async function compareCounters(lives: readonly Running[]): Promise<void> {
  const scopes = lives.flatMap(({ model }) => model.caps.map(({ scopeId }) => scopeId));
  const rows = await world.bed.rows<{ scope_id: string; start: string; spent: string }>(
    `select scope_id, (extract(epoch from window_start) * 1000)::bigint as start, spent_nano_usd as spent
     from spend_counters where scope_id = any ($1) and spent_nano_usd > 0`,
    [scopes],
  );
  const counted = new Map(rows.map(({ scope_id, start, spent }) => [`${scope_id} ${start}`, spent]));
  for (const running of lives) {
    const spent = [...running.model.windows].filter(([, window]) => window.spent > 0n);
    await within(running, () => {
      for (const [key, window] of spent) expect(counted.get(key), key).toBe(window.spent.toString());
    });
  }
}

/** At any moment, whatever is not folded yet: the entries add up to the balance, page by page as in one piece. */
async function compareStatements(lives: readonly Running[]): Promise<void> {
  const entries = createEntries((world.processes[0] as LedgerProcess).database);
  for (const running of lives) {
    await within(running, async () => {
      const span = { accountId: running.model.accountId, fromMs: null, toMs: null, isByDay: false };
      const all = [...((await entries.all(span, 10_000)) ?? [])].reverse();
      const balances = all.map(({ balanceNanoUsd }) => balanceNanoUsd);
      let sum = 0n;
      expect(balances).toEqual(
        all.map(({ amountNanoUsd }) => {
          sum += amountNanoUsd;
          return sum;
        }),
      );
      const first = await entries.page(span, { cursor: null, limit: 3 });
      expect(first?.sums).toMatchObject({ openingNanoUsd: 0n, closingNanoUsd: sum });
      expect(sum).toBe(running.model.balanceNanoUsd);
      const byDay = (await entries.all({ ...span, isByDay: true }, 10_000)) ?? [];
      expect(byDay.reduce((total, { amountNanoUsd }) => total + amountNanoUsd, 0n)).toBe(sum);
    });
  }
}

/** All lives take their next group at the same time; then everything is compared, and the clock may be moved. */
async function live(lives: readonly Readonly<{ seed: number; life: Life }>[], turns: readonly number[]) {
  clock.set(START);
  const running: Running[] = await Promise.all(
    lives.map(async (one) => ({ ...one, model: await begin(one.life), failure: null })),
  );
  const rounds = Math.max(...lives.map((one) => one.life.groups.length));
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(
      running.map((each) =>
        within(each, async () => {
          const group = each.life.groups[round] ?? [];
          await Promise.all(group.map((step) => take(world, each.model, step, group.length === 1)));
          expectSound(each.model);
        }),
      ),
    );
    if (round === STATEMENTS_IN_ROUND) await compareStatements(running.slice(0, STATEMENTS_AT_ONCE));
    await untilWritten();
    await compareAccounts(running);
    clock.set(new Date(clock.nowMs() + (turns[round % turns.length] ?? 0) * 1_000).toISOString());
  }
  await Promise.all(running.map((each) => within(each, () => endLife(world, each.model))));
  await compareAccounts(running);
  await compareRecords(running);
  await compareCounters(running);
  await compareStatements(running.slice(0, STATEMENTS_AT_ONCE));
  return running.filter(({ failure }) => failure !== null);
}

const lifeOf = (seed: number): Life => fc.sample(life, { seed, numRuns: 1 })[0] as Life;

/** A seed also chooses the turns of the clock, by its remainder, which all lives of a batch share. */
const turnsOf = (seed: number): readonly number[] => CLOCK_TURNS[seed % CLOCK_TURNS.length] ?? [0];

/** The life alone, to be shrunk; a life that only fails together with others is reported as it was. */
async function explain({ seed, failure }: Running): Promise<never> {
  const alone = fc.asyncProperty(life, async (one) => {
    const [failed] = await live([{ seed, life: one }], turnsOf(seed));
    if (failed !== undefined) throw failed.failure;
  });
  await fc.assert(alone, { seed, numRuns: 1, interruptAfterTimeLimit: 20_000 });
  throw new Error(`A life failed among others: TOLLGATE_LEDGER_SEED=${seed}`, { cause: failure });
}

const seeds: readonly number[] =
  SEED === undefined
    ? Array.from({ length: RUNS }, () => Math.floor(Math.random() * 2 ** 28) * CLOCK_TURNS.length)
    : [Number(SEED)];

test(
  `LED-1 RACE-2 WIN-1 BILL-15 BILL-16 KEY-16 BRK-05 I1 I2 I3 I4 I5 I6 I8 I9 I10 I15 ${seeds.length} random lives`,
  async () => {
    for (let start = 0; start < seeds.length; start += LIVES_AT_ONCE) {
      const kind = (start / LIVES_AT_ONCE) % CLOCK_TURNS.length;
      const batch = seeds.slice(start, start + LIVES_AT_ONCE).map((seed) => (SEED === undefined ? seed + kind : seed));
      const failed = await live(
        batch.map((seed) => ({ seed, life: lifeOf(seed) })),
        turnsOf(batch[0] as number),
      );
      const [first] = failed;
      if (first !== undefined) await explain(first);
      const check = await (world.processes[1] as LedgerProcess).ledger.check('everything');
      expect(check, `seeds ${batch[0]} and on`).toMatchObject({ ok: true, discrepancies: [], heldReservations: 0 });
    }
  },
  60_000 + RUNS * 1_000,
);
