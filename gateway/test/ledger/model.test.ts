// Random lives of one account on two processes at once, against a model that only adds and subtracts: money is neither
// made nor lost, nothing is promised that is not there, and when one call acts alone nothing is refused that is.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Ledger, Reservation } from '../../src/modules/ledger/ledger.ts';
import { newId } from '../../src/platform/ids.ts';
import { fundedAccount, type LedgerBed, type LedgerProcess, openBed } from './fixture.ts';
import { recordOf, settled } from './record.ts';

/** Raised for long runs by hand. */
const RUNS = Number(process.env.TOLLGATE_LEDGER_RUNS ?? 15);

let bed: LedgerBed;
let processes: LedgerProcess[];

beforeAll(async () => {
  bed = await openBed();
  processes = [await bed.startProcess(), await bed.startProcess()];
});

afterAll(async () => {
  await bed.close();
});

const side = fc.nat({ max: 1 });
const amount = fc.bigInt({ min: 0n, max: 60n });
const pick = fc.nat({ max: 1_000 });

type Step = Readonly<
  | { verb: 'reserve'; side: number; amount: bigint }
  | { verb: 'extend' | 'settle'; pick: number; amount: bigint }
  | { verb: 'release'; pick: number }
  | { verb: 'credit'; side: number; amount: bigint }
>;

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ verb: fc.constant('reserve' as const), side, amount }) },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('extend' as const), pick, amount }) },
  { weight: 4, arbitrary: fc.record({ verb: fc.constant('settle' as const), pick, amount }) },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('release' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('credit' as const), side, amount }) },
);

/** Steps of one group run at once; groups run one after another. */
const life = fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 3, maxLength: 8 });

type Open = { ledger: Ledger; reservation: Reservation };

class Model {
  readonly accountId: string;
  creditedNanoUsd: bigint;
  chargedNanoUsd = 0n;
  open: Open[] = [];

  constructor(accountId: string, creditedNanoUsd: bigint) {
    this.accountId = accountId;
    this.creditedNanoUsd = creditedNanoUsd;
  }

  get balanceNanoUsd(): bigint {
    return this.creditedNanoUsd - this.chargedNanoUsd;
  }

  get heldNanoUsd(): bigint {
    return this.open.reduce((sum, { reservation }) => sum + reservation.amountNanoUsd(), 0n);
  }

  take(index: number): Open | undefined {
    const [taken] = this.open.splice(index % Math.max(1, this.open.length), 1);
    return taken;
  }
}

async function reserve(
  model: Model,
  { side, amount }: Extract<Step, { verb: 'reserve' }>,
  isAlone: boolean,
): Promise<void> {
  const { ledger } = processes[side]!;
  const freeNanoUsd = model.balanceNanoUsd - model.heldNanoUsd;
  try {
    const reservation = await ledger.reserve(model.accountId, newId('gen'), amount);
    model.open.push({ ledger, reservation });
  } catch (error) {
    expect(error).toMatchObject({ code: 'insufficient_credits' });
    if (isAlone) expect(amount).toBeGreaterThan(freeNanoUsd);
  }
}

async function settle(
  model: Model,
  { pick, amount }: { pick: number; amount: bigint },
  isAlone: boolean,
): Promise<void> {
  const chosen = model.take(pick);
  if (chosen === undefined) return;
  const { ledger, reservation } = chosen;
  const spendable = model.balanceNanoUsd - model.heldNanoUsd;
  const { chargedNanoUsd, absorbedNanoUsd } = await settled(ledger, reservation, recordOf(reservation, amount));
  expect(chargedNanoUsd + absorbedNanoUsd).toBe(amount);
  if (isAlone) expect(chargedNanoUsd).toBe(amount < spendable ? amount : spendable);
  model.chargedNanoUsd += chargedNanoUsd;
}

async function take(model: Model, step: Step, isAlone: boolean): Promise<void> {
  if (step.verb === 'reserve') return reserve(model, step, isAlone);
  if (step.verb === 'settle') return settle(model, step, isAlone);
  if (step.verb === 'release') {
    const released = model.take(step.pick);
    return released?.ledger.release(released.reservation, null);
  }
  if (step.verb === 'credit') {
    const { ledger } = processes[step.side]!;
    const { accountId } = model;
    await ledger.credit({ accountId, amountNanoUsd: step.amount, note: '', reference: newId('txn') });
    model.creditedNanoUsd += step.amount;
    return;
  }
  const extended = model.take(step.pick);
  if (extended === undefined) return;
  const freeNanoUsd = model.balanceNanoUsd - model.heldNanoUsd - extended.reservation.amountNanoUsd();
  const isHeld = await extended.ledger.extend(extended.reservation, step.amount);
  if (isAlone) expect(isHeld).toBe(step.amount <= freeNanoUsd);
  model.open.push(extended);
}

test('LED-1 BILL-16 I1 I2 I3 I15 random calls on two processes never make, lose or over-promise money', async () => {
  await fc.assert(
    fc.asyncProperty(fc.bigInt({ min: 0n, max: 200n }), life, async (startNanoUsd, groups) => {
      const model = new Model(await fundedAccount(processes[0]!, startNanoUsd), startNanoUsd);
      for (const group of groups) {
        await Promise.all(group.map((each) => take(model, each, group.length === 1)));
        expect(model.heldNanoUsd).toBeLessThanOrEqual(model.balanceNanoUsd);
        const { balanceNanoUsd } = await processes[1]!.ledger.account(model.accountId);
        expect(balanceNanoUsd).toBe(model.balanceNanoUsd);
      }
      for (const { ledger, reservation } of model.open) ledger.release(reservation, null);
      const { ledger } = processes[0]!;
      ledger.release(await ledger.reserve(model.accountId, newId('gen'), model.balanceNanoUsd), null);
      const [sum] = await bed.rows('select sum(cost_nano_usd) as n from generations where account_id = $1', [
        model.accountId,
      ]);
      expect(BigInt(sum?.n ?? 0)).toBe(model.chargedNanoUsd);
      expect(await ledger.check('everything')).toMatchObject({ ok: true, discrepancies: [], heldReservations: 0 });
    }),
    { numRuns: RUNS },
  );
});
