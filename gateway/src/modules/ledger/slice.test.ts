// The arithmetic of a slice: money moves between free, held and settling and is never created, and those who wait are
// served in order.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lesserOf } from '../../platform/money.ts';
import { Slice, type Waiter } from './slice.ts';

function sliceOf(freeNanoUsd: bigint): Slice {
  const slice = new Slice({ id: 'usr-1' }, 0);
  slice.grant(freeNanoUsd);
  return slice;
}

function waiterFor(amountNanoUsd: bigint, answers: (bigint | null)[]): Waiter {
  return {
    amountNanoUsd,
    acceptsLess: false,
    isHurried: false,
    comesBack: false,
    isDone: false,
    resolve: (held) => answers.push(held),
    reject: () => answers.push(-1n),
  };
}

test('only what is free can be taken', () => {
  const slice = sliceOf(10n);
  expect(slice.take(11n)).toBe(false);
  expect(slice.take(10n)).toBe(true);
  expect(slice.take(1n)).toBe(false);
  expect(slice.take(0n)).toBe(true);
  expect(slice.takeUpTo(5n)).toBe(0n);
});

test('a charge beyond the hold, and a hold that is not there, are refused', () => {
  const slice = sliceOf(10n);
  slice.take(4n);
  expect(() => slice.beginSettling(4n, 5n)).toThrow('at most what is held');
  expect(() => slice.beginSettling(5n, 5n)).toThrow('part of what is held');
  slice.beginSettling(4n, 3n);
  expect(() => slice.endSettling(4n, 4n)).toThrow('part of what is settling');
  expect(() => slice.endSettling(3n, 4n)).toThrow('no more is taken');
  slice.endSettling(3n, 3n);
  expect(slice.grantedNanoUsd).toBe(7n);
});

test('those who wait are served in order, whoever cannot be served is passed over, and nobody pushes in', () => {
  const slice = sliceOf(0n);
  const answers: (bigint | null)[] = [];
  for (const amount of [5n, 50n, 2n]) slice.wait(waiterFor(amount, answers));
  expect(slice.missing()).toEqual({ allNanoUsd: 57n, leastNanoUsd: 2n });
  slice.grant(1n);
  expect(slice.take(1n)).toBe(false);
  slice.grant(9n);
  expect(answers).toEqual([5n, 2n]);
  expect(slice.missing()).toEqual({ allNanoUsd: 47n, leastNanoUsd: 47n });
  slice.grant(47n);
  expect(answers).toEqual([5n, 2n, 50n]);
  expect(slice.freeNanoUsd).toBe(0n);
});

test('what a settlement frees serves those who wait', () => {
  const slice = sliceOf(10n);
  slice.take(10n);
  const answers: (bigint | null)[] = [];
  slice.wait(waiterFor(6n, answers));
  slice.beginSettling(10n, 3n);
  expect(answers).toEqual([6n]);
});

test('I3 whatever the order of events, free, held and settling add up to what was leased', () => {
  const event = fc.tuple(fc.constantFrom('grant', 'take', 'settle', 'commit', 'surrender'), fc.bigInt(0n, 100n));
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      const slice = sliceOf(0n);
      const held: bigint[] = [];
      const settling: bigint[] = [];
      let expected = 0n;
      for (const [name, amount] of events) {
        if (name === 'grant') {
          slice.grant(amount);
          expected += amount;
        } else if (name === 'take') {
          if (slice.take(amount)) held.push(amount);
        } else if (name === 'settle') {
          const hold = held.pop() ?? 0n;
          const charge = lesserOf(amount, hold);
          slice.beginSettling(hold, charge);
          settling.push(charge);
        } else if (name === 'commit') {
          const charge = settling.shift() ?? 0n;
          const charged = lesserOf(amount, charge);
          slice.endSettling(charge, charged);
          expected -= charged;
        } else {
          expected -= slice.surrender();
        }
        expect(slice.grantedNanoUsd).toBe(expected);
        const open = [...held, ...settling].reduce((sum, each) => sum + each, 0n);
        expect(slice.freeNanoUsd).toBe(expected - open);
      }
    }),
  );
});
