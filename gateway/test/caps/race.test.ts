// Many calls at once under caps, in one process and in two: exactly as many as fit are held, and the held and charged
// amounts never add up to more than the cap.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { SpendCap } from '../../src/canonical/spend-cap.ts';
import type { Ledger, Reservation } from '../../src/modules/ledger/ledger.ts';
import { newId } from '../../src/platform/ids.ts';
import { fundedAccount, type LedgerBed, openBed, patiently, USD } from '../ledger/fixture.ts';
import { recordOf, settled } from '../ledger/record.ts';
import { breakerOf, capOf } from './caps.ts';

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

type Attempt = Readonly<{ ledger: Ledger; reservation: Reservation | null; code: string | null }>;
type Order = Readonly<{ accountId: string; amountNanoUsd: bigint; caps: readonly SpendCap[] }>;

function attempt(ledger: Ledger, { accountId, amountNanoUsd, caps }: Order): Promise<Attempt> {
  return Promise.resolve()
    .then(() => ledger.reserve(accountId, newId('gen'), amountNanoUsd, caps))
    .then(
      (reservation) => ({ ledger, reservation, code: null }),
      (error: { code: string }) => ({ ledger, reservation: null, code: error.code }),
    );
}

const spentUnder = async (scopeId: string): Promise<bigint> => {
  await bed.folded();
  const [row] = await bed.rows('select spent_nano_usd as n from spend_counters where scope_id = $1', [scopeId]);
  return BigInt(row?.n ?? -1);
};

const ORG = { accountId: 'org-1', userIds: ['usr-1'] };

const caps: readonly [string, string, (limitNanoUsd: bigint) => SpendCap][] = [
  ['KEY-16 a key cap', 'spend_limit_exceeded', (limit) => capOf(limit, { window: 'day' })],
  ['BILL-15 a member budget', 'budget_cap_reached', (limit) => capOf(limit, { scope: 'member', covers: ORG })],
  ['BILL-15 a team budget', 'budget_cap_reached', (limit) => capOf(limit, { scope: 'team', covers: ORG })],
  ['BRK-05 a breaker', 'http_429', (limit) => breakerOf(limit)],
];

test.each(caps.flatMap(([name, code, make]) => [1, 2].map((count) => [name, count, code, make] as const)))(
  'RACE-2 of 200 calls at once under %s for 10, exactly 10 are held: %i processes',
  async (_, count, code, make) => {
    const processes = await Promise.all(Array.from({ length: count }, () => bed.startProcess()));
    for (let round = 0; round < 2; round += 1) {
      const cap = make(10n * USD);
      const accountId = await fundedAccount(processes[0]!, 1_000n * USD);
      const order = { accountId, amountNanoUsd: USD, caps: [cap] };
      const attempts = await Promise.all(
        Array.from({ length: 200 }, (_, index) => attempt(processes[index % count]!.ledger, order)),
      );
      expect(attempts.filter(({ reservation }) => reservation !== null)).toHaveLength(10);
      expect(attempts.filter((refused) => refused.code === code)).toHaveLength(190);
      await Promise.all(
        attempts.flatMap(({ ledger, reservation }) =>
          reservation === null ? [] : [settled(ledger, reservation, recordOf(reservation, USD))],
        ),
      );
      expect(await spentUnder(cap.scopeId)).toBe(10n * USD);
    }
    expect(await processes[0]!.ledger.check('everything')).toMatchObject({
      ok: true,
      discrepancies: [],
      heldReservations: 0,
    });
  },
);

const settleAll = (attempts: readonly Attempt[], costNanoUsd: bigint) =>
  Promise.all(
    attempts.flatMap(({ ledger, reservation }) =>
      reservation === null ? [] : [settled(ledger, reservation, recordOf(reservation, costNanoUsd))],
    ),
  );

test.each([1, 2])('RACE-2 a rest that is too small for a call is left under a cap: %i processes', async (count) => {
  const processes = await Promise.all(Array.from({ length: count }, () => bed.startProcess()));
  const cap = capOf(10n * USD + USD / 2n);
  const accountId = await fundedAccount(processes[0]!, 1_000n * USD);
  const order = { accountId, amountNanoUsd: USD, caps: [cap] };
  for (let round = 0; round < 2; round += 1) {
    const attempts = await Promise.all(
      Array.from({ length: 100 }, (_, index) => attempt(processes[index % count]!.ledger, order)),
    );
    expect(attempts.filter(({ reservation }) => reservation !== null)).toHaveLength(round === 0 ? 10 : 0);
    await settleAll(attempts, USD);
  }
  expect(await spentUnder(cap.scopeId)).toBe(10n * USD);
});

test.each([1, 2])('BRK-05 a breaker is passed by at most one call in each process: %i processes', async (count) => {
  const processes = await Promise.all(Array.from({ length: count }, () => bed.startProcess()));
  const cap = breakerOf(10n * USD + USD / 2n);
  const accountId = await fundedAccount(processes[0]!, 1_000n * USD);
  const order = { accountId, amountNanoUsd: USD, caps: [cap] };
  const attempts = await Promise.all(
    Array.from({ length: 200 }, (_, index) => attempt(processes[index % count]!.ledger, order)),
  );
  const held = attempts.filter(({ reservation }) => reservation !== null).length;
  expect(held).toBeGreaterThanOrEqual(11);
  expect(held).toBeLessThanOrEqual(10 + count);
  await settleAll(attempts, USD);
  expect(await spentUnder(cap.scopeId)).toBe(BigInt(held) * USD);
  expect((await attempt(processes[0]!.ledger, order)).code).toBe('http_429');
});

test.each([1, 2])(
  'RACE-2 of several caps the tightest decides, and the others keep nothing: %i processes',
  async (count) => {
    const processes = await Promise.all(Array.from({ length: count }, () => bed.startProcess()));
    const sizes = [13n, 11n, 9n, 7n, 12n];
    for (const [tightest] of sizes.entries()) {
      const [breaker = 0n, key = 0n, member = 0n, team = 0n, balance = 0n] = sizes.map(
        (size, index) => (index === tightest ? 5n : size) * USD,
      );
      const funds = [
        breakerOf(breaker),
        capOf(key, { window: 'never' }),
        capOf(member, { scope: 'member', covers: ORG }),
        capOf(team, { scope: 'team', covers: ORG }),
      ];
      const accountId = await fundedAccount(processes[0]!, balance);
      const order = { accountId, amountNanoUsd: USD, caps: funds };
      const attempts = await Promise.all(
        Array.from({ length: 200 }, (_, index) => attempt(processes[index % count]!.ledger, order)),
      );
      expect(attempts.filter(({ reservation }) => reservation !== null)).toHaveLength(5);
      for (const { ledger, reservation } of attempts) if (reservation !== null) ledger.release(reservation, null);
      // Refused calls kept nothing, so the same can be done again.
      const again = await Promise.all(Array.from({ length: 5 }, () => attempt(processes[0]!.ledger, order)));
      expect(again.map(({ code }) => code)).toEqual([null, null, null, null, null]);
      await settleAll(again, USD);
      for (const { scopeId } of funds) expect(await spentUnder(scopeId)).toBe(5n * USD);
    }
    expect(await processes[0]!.ledger.check('everything')).toMatchObject({
      ok: true,
      discrepancies: [],
      heldReservations: 0,
    });
  },
);

test('batches of several processes over the same counters do not deadlock and add up', async () => {
  const processes = await Promise.all([1, 2, 3].map(() => bed.startProcess()));
  const shared = Array.from({ length: 8 }, () => capOf(1_000_000n * USD));
  const accounts = await Promise.all(Array.from({ length: 6 }, () => fundedAccount(processes[0]!, 1_000n * USD)));
  await Promise.all(
    processes.map(async ({ ledger }) => {
      for (let round = 0; round < 8; round += 1) {
        await Promise.all(
          accounts.map(async (accountId) => {
            const some = shared.toSorted(() => Math.random() - 0.5).slice(0, 4);
            const held = await patiently(() => ledger.reserve(accountId, newId('gen'), 3n, some));
            await settled(ledger, held, recordOf(held, 2n));
          }),
        );
      }
    }),
  );
  const [deadlocks] = await bed.rows('select deadlocks from pg_stat_database where datname = current_database()');
  expect(deadlocks).toEqual({ deadlocks: '0' });
  const spent = await Promise.all(shared.map(({ scopeId }) => spentUnder(scopeId)));
  expect(spent.reduce((sum, each) => sum + each, 0n)).toBe(BigInt(3 * 8 * 6 * 4 * 2));
  expect(processes.map(({ ledger }) => ledger.status().journaledSettlements)).toEqual([0, 0, 0]);
  expect(await processes[0]!.ledger.check('everything')).toMatchObject({ ok: true, heldReservations: 0 });
});
