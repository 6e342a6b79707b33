// Random lives under caps on two processes at once, with limits that change and windows that turn, against a model that
// only adds: no cap is crossed, nothing that fits is refused to a call that acts alone, and the counters are what the
// entries say.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SpendCap } from '../../src/canonical/spend-cap.ts';
import { windowStartMs } from '../../src/canonical/spend-window.ts';
import type { Ledger, Reservation } from '../../src/modules/ledger/ledger.ts';
import { newId } from '../../src/platform/ids.ts';
import { fundedAccount, type LedgerBed, type LedgerProcess, openBed } from '../ledger/fixture.ts';
import { recordOf } from '../ledger/record.ts';
import { breakerOf, capOf } from './caps.ts';
import { SetClock } from './set-clock.ts';

/** Raised for long runs by hand. */
const RUNS = Number(process.env.TOLLGATE_LEDGER_RUNS ?? 15);
const START_MS = Date.parse('2028-02-28T22:58:00Z');

let bed: LedgerBed;
let processes: LedgerProcess[];
const clock = new SetClock('2028-02-28T22:58:00Z');

beforeAll(async () => {
  bed = await openBed();
  processes = [await bed.startProcess({ clock }), await bed.startProcess({ clock })];
});

afterAll(async () => {
  await bed.close();
});

const side = fc.nat({ max: 1 });
const AMOUNT_MAX = 60n;
const amount = fc.bigInt({ min: 0n, max: AMOUNT_MAX });
const pick = fc.nat({ max: 1_000 });

type Step = Readonly<
  | { verb: 'reserve'; side: number; amount: bigint; mask: number }
  | { verb: 'extend' | 'settle'; pick: number; amount: bigint }
  | { verb: 'release'; pick: number }
  | { verb: 'limit'; cap: number; amount: bigint }
  | { verb: 'wait'; seconds: number }
>;

const CAPS = 4;
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ verb: fc.constant('reserve' as const), side, amount, mask: fc.nat({ max: 15 }) }),
  },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('extend' as const), pick, amount }) },
  { weight: 5, arbitrary: fc.record({ verb: fc.constant('settle' as const), pick, amount }) },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('release' as const), pick }) },
);
const change: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    verb: fc.constant('limit' as const),
    cap: fc.nat({ max: CAPS - 1 }),
    amount: fc.constantFrom(0n, 30n, 100n, 200n),
  }),
  fc.record({ verb: fc.constant('wait' as const), seconds: fc.constantFrom(1, 70, 3_700, 90_000) }),
);

/** Steps of one group run at once; groups run one after another. What changes for everybody happens between them. */
const life = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.array(step, { minLength: 1, maxLength: 6 }) },
    { weight: 1, arbitrary: change.map((one) => [one]) },
  ),
  { minLength: 4, maxLength: 12 },
);

/** One window of a cap. `limitMax` is the largest limit that was in force in it. */
type Window = { firmSpent: bigint; spent: bigint; limitMax: bigint; readonly cap: SpendCap };
type Open = { ledger: Ledger; reservation: Reservation; windows: { window: Window; isFirm: boolean }[] };

class Model {
  readonly accountId: string;
  readonly creditedNanoUsd: bigint;
  chargedNanoUsd = 0n;
  caps: SpendCap[];
  open: Open[] = [];
  readonly windows = new Map<string, Window>();

  constructor(accountId: string, creditedNanoUsd: bigint) {
    this.accountId = accountId;
    this.creditedNanoUsd = creditedNanoUsd;
    this.caps = [
      breakerOf(100n, { window: 'minute' }),
      capOf(100n, { window: 'hour' }),
      capOf(200n, { scope: 'member', window: 'month' }),
      capOf(200n, { scope: 'team', window: 'never' }),
    ];
  }

  windowOf(cap: SpendCap): Window {
    const key = `${cap.scopeId} ${windowStartMs(cap.window, clock.nowMs())}`;
    const window = this.windows.get(key) ?? { firmSpent: 0n, spent: 0n, limitMax: 0n, cap };
    this.windows.set(key, window);
    if (cap.limitNanoUsd > window.limitMax) window.limitMax = cap.limitNanoUsd;
    return window;
  }

  /** What open calls hold of a window, or, with `isFirm`, those of them that can never pass its limit. */
  held(window: Window, isFirm: boolean): bigint {
    let sum = 0n;
    for (const { reservation, windows } of this.open) {
      const own = windows.find((each) => each.window === window);
      if (own !== undefined && (own.isFirm || !isFirm)) sum += reservation.amountNanoUsd();
    }
    return sum;
  }

  get freeNanoUsd(): bigint {
    const held = this.open.reduce((sum, { reservation }) => sum + reservation.amountNanoUsd(), 0n);
    return this.creditedNanoUsd - this.chargedNanoUsd - held;
  }

  take(index: number): Open | undefined {
    const [taken] = this.open.splice(index % Math.max(1, this.open.length), 1);
    return taken;
  }
}

/** Whether a call that acts alone may be refused by a window, and whether it must be. */
function judge(model: Model, ledger: Ledger, order: { window: Window; cap: SpendCap; amount: bigint }) {
  const { window, cap, amount } = order;
  const used = window.spent + model.held(window, false);
  if (cap.kind === 'breaker') return { may: used >= cap.limitNanoUsd, must: window.spent >= cap.limitNanoUsd };
  if (amount === 0n) return { may: false, must: false };
  if (amount <= cap.limitNanoUsd) {
    // A soft hold beside it may be smaller than its call.
    const firm = window.spent + model.held(window, true);
    return { may: used + amount > cap.limitNanoUsd, must: firm + amount > cap.limitNanoUsd };
  }
  const isShared = model.open.some(
    (each) => each.ledger === ledger && each.windows.some((own) => own.window === window),
  );
  return { may: isShared || used >= cap.limitNanoUsd, must: isShared || window.spent >= cap.limitNanoUsd };
}

async function reserve(model: Model, step: Extract<Step, { verb: 'reserve' }>, isAlone: boolean): Promise<void> {
  const { ledger } = processes[step.side]!;
  const caps = model.caps.filter((_, index) => (step.mask & (1 << index)) !== 0);
  const windows = caps
    .filter((cap) => cap.kind === 'breaker' || step.amount > 0n)
    .map((cap) => ({
      cap,
      window: model.windowOf(cap),
      isFirm: cap.kind === 'cap' && step.amount <= cap.limitNanoUsd,
    }));
  const verdicts = windows.map(({ cap, window }) => judge(model, ledger, { window, cap, amount: step.amount }));
  const freeNanoUsd = model.freeNanoUsd;
  let isHeld = true;
  try {
    const reservation = await ledger.reserve(model.accountId, newId('gen'), step.amount, caps);
    model.open.push({ ledger, reservation, windows });
  } catch (error) {
    expect(error).toMatchObject({ code: expect.stringMatching(/^(http_429|spend_limit|budget_cap|insufficient)/) });
    isHeld = false;
  }
  if (!isAlone) return;
  if (isHeld) expect(verdicts.some(({ must }) => must) || step.amount > freeNanoUsd).toBe(false);
  else expect(verdicts.some(({ may }) => may) || step.amount > freeNanoUsd).toBe(true);
}

async function settle(model: Model, { pick, amount }: { pick: number; amount: bigint }): Promise<void> {
  const chosen = model.take(pick);
  if (chosen === undefined) return;
  const { ledger, reservation, windows } = chosen;
  const heldNanoUsd = reservation.amountNanoUsd();
  const record = recordOf(reservation, amount, { createdAtMs: START_MS });
  const { chargedNanoUsd, absorbedNanoUsd } = await ledger.settle(reservation, record);
  expect(chargedNanoUsd + absorbedNanoUsd).toBe(amount);
  expect(chargedNanoUsd).toBeGreaterThanOrEqual(amount < heldNanoUsd ? amount : heldNanoUsd);
  model.chargedNanoUsd += chargedNanoUsd;
  for (const { window, isFirm } of windows) {
    window.spent += chargedNanoUsd;
    if (isFirm) window.firmSpent += chargedNanoUsd;
  }
}

async function take(model: Model, step: Step, isAlone: boolean): Promise<void> {
  if (step.verb === 'reserve') return reserve(model, step, isAlone);
  if (step.verb === 'settle') return settle(model, step);
  if (step.verb === 'limit') {
    const { cap: changed, amount: limitNanoUsd } = step;
    model.caps = model.caps.map((cap, index) => (index === changed ? { ...cap, limitNanoUsd } : cap));
    return;
  }
  if (step.verb === 'wait') return clock.set(new Date(clock.nowMs() + step.seconds * 1_000).toISOString());
  const taken = model.take(step.pick);
  if (taken === undefined) return;
  if (step.verb === 'release') return taken.ledger.release(taken.reservation, null);
  const before = taken.reservation.amountNanoUsd();
  const isHeld = await taken.ledger.extend(taken.reservation, step.amount);
  expect(taken.reservation.amountNanoUsd()).toBe(isHeld ? before + step.amount : before);
  model.open.push(taken);
}

function expectSound(model: Model): void {
  expect(model.freeNanoUsd).toBeGreaterThanOrEqual(0n);
  for (const window of model.windows.values()) {
    if (window.cap.kind === 'breaker') continue;
    expect(window.firmSpent + model.held(window, true)).toBeLessThanOrEqual(window.limitMax);
    // Only the last of those that are larger than the whole cap can exceed it.
    expect(window.spent).toBeLessThanOrEqual(window.limitMax + AMOUNT_MAX);
  }
}

async function expectCounted(model: Model): Promise<void> {
  for (const cap of model.caps) {
    const rows = await bed.rows(
      'select spent_nano_usd as spent from spend_counters where scope_id = $1 order by window_start',
      [cap.scopeId],
    );
    const spent = [...model.windows]
      .filter(([, window]) => window.cap.scopeId === cap.scopeId)
      .sort(([left], [right]) => Number(left.split(' ')[1]) - Number(right.split(' ')[1]))
      .map(([, window]) => window.spent);
    const counted = rows.map((row) => BigInt(row.spent ?? 0));
    // A window under which nobody got as far as a lease has no counter.
    expect(counted.filter((each) => each > 0n)).toEqual(spent.filter((each) => each > 0n));
  }
}

test('RACE-2 WIN-1 BILL-15 KEY-16 BRK-05 random calls under caps on two processes cross none and are counted', async () => {
  await fc.assert(
    fc.asyncProperty(fc.bigInt({ min: 50n, max: 2_000n }), life, async (creditNanoUsd, groups) => {
      clock.set('2028-02-28T22:58:00Z');
      const model = new Model(await fundedAccount(processes[0]!, creditNanoUsd), creditNanoUsd);
      for (const group of groups) {
        await Promise.all(group.map((each) => take(model, each, group.length === 1)));
        expectSound(model);
      }
      for (const { ledger, reservation } of model.open.splice(0)) ledger.release(reservation, null);
      await expectCounted(model);
      expect(await processes[0]!.ledger.check()).toMatchObject({ ok: true, discrepancies: [], heldReservations: 0 });
      const used = await Promise.all(model.caps.map((cap) => processes[0]!.ledger.used(cap)));
      expect(used).toEqual(model.caps.map((cap) => model.windowOf(cap).spent));
    }),
    { numRuns: RUNS },
  );
});
