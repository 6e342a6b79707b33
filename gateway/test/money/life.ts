// What can happen to an account, as random values: groups of steps, where the steps of a group happen at once and on
// two processes. Amounts are small and money is scarce, so that refusals and exhaustion are as common as successes.

import fc from 'fast-check';

export const AMOUNT_MAX = 60n;

/** Of the caps in a life's model; a step's mask says which of them a call stands under. */
const CAP_COUNT = 4;

export type Step = Readonly<
  | { verb: 'reserve' | 'hold'; side: number; amount: bigint; mask: number }
  | { verb: 'extend' | 'settle'; pick: number; amount: bigint }
  | { verb: 'release' | 'refund'; pick: number }
  | { verb: 'settleHold'; side: number; pick: number; amount: bigint }
  | { verb: 'releaseHold' | 'expireHold' | 'endAgain'; side: number; pick: number }
  | { verb: 'topUp' | 'topUpAgain'; side: number; amount: bigint }
  | { verb: 'give' | 'takeBack'; side: number; amount: bigint }
  | { verb: 'refundCall'; side: number; pick: number }
  | { verb: 'limit'; cap: number; amount: bigint }
>;

export type Life = Readonly<{
  creditNanoUsd: bigint;
  /** Zero for an account that is paid in advance. */
  creditLineNanoUsd: bigint;
  groups: readonly (readonly Step[])[];
}>;

const side = fc.nat({ max: 1 });
const amount = fc.bigInt({ min: 0n, max: AMOUNT_MAX });
const pick = fc.nat({ max: 1_000 });
/** Mostly none or one, because each costs statements; all at once now and then. */
const mask = fc.oneof(
  { weight: 5, arbitrary: fc.constant(0) },
  { weight: 5, arbitrary: fc.nat({ max: CAP_COUNT - 1 }).map((cap) => 1 << cap) },
  { weight: 1, arbitrary: fc.nat({ max: 2 ** CAP_COUNT - 1 }) },
  { weight: 1, arbitrary: fc.constant(2 ** CAP_COUNT - 1) },
);

const is = <Verb extends Step['verb']>(...verbs: Verb[]) => fc.constantFrom(...verbs);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 16, arbitrary: fc.record({ verb: is('reserve'), side, amount, mask }) },
  { weight: 4, arbitrary: fc.record({ verb: is('hold'), side, amount, mask }) },
  { weight: 4, arbitrary: fc.record({ verb: is('extend'), pick, amount }) },
  { weight: 10, arbitrary: fc.record({ verb: is('settle'), pick, amount }) },
  { weight: 4, arbitrary: fc.record({ verb: is('release', 'refund'), pick }) },
  { weight: 3, arbitrary: fc.record({ verb: is('settleHold'), side, pick, amount }) },
  { weight: 2, arbitrary: fc.record({ verb: is('releaseHold', 'expireHold', 'endAgain'), side, pick }) },
  { weight: 2, arbitrary: fc.record({ verb: is('topUp', 'topUpAgain'), side, amount }) },
  { weight: 1, arbitrary: fc.record({ verb: is('give', 'takeBack'), side, amount }) },
  { weight: 1, arbitrary: fc.record({ verb: is('refundCall'), side, pick }) },
);

/** Changes for all processes happen between groups. */
const change: fc.Arbitrary<Step> = fc.record({
  verb: is('limit'),
  cap: fc.nat({ max: CAP_COUNT - 1 }),
  amount: fc.constantFrom(0n, 30n, 100n, 200n),
});

const group = fc.oneof(
  { weight: 5, arbitrary: fc.array(step, { minLength: 1, maxLength: 6 }) },
  { weight: 1, arbitrary: change.map((one) => [one]) },
);

export const life: fc.Arbitrary<Life> = fc.record({
  creditNanoUsd: fc.bigInt({ min: 0n, max: 600n }),
  creditLineNanoUsd: fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 100n })),
  groups: fc.array(group, { minLength: 5, maxLength: 12 }),
});

/** How far the clock is turned after each group, in seconds, repeated: nothing, a minute, an hour, a day and more. */
export const CLOCK_TURNS: readonly (readonly number[])[] = [
  [0, 1, 0, 70, 0, 0],
  [0, 0, 3_700, 0, 1],
  [1, 0, 0, 90_000],
  [0],
];
