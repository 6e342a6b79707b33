// What a call is told that finds no money here, when other processes were asked for theirs and one did not answer.

import { expect, test } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { silentLogger } from '../../platform/logger.ts';
import type { Lease } from './fund.ts';
import { SliceTable } from './slice-table.ts';

const FIRST = { acceptsLess: false, isHurried: false, comesBack: true, patienceMs: 10_000 };

/** Nothing can be leased; the leases say how much others have. */
async function askedOf(lentNanoUsd: readonly bigint[]): Promise<bigint | null> {
  const answers = lentNanoUsd.map((leasedBeforeNanoUsd): Lease => {
    const sharers = leasedBeforeNanoUsd > 0n ? 1 : 0;
    return { isRegistered: true, grantedNanoUsd: 0n, remainingNanoUsd: 0n, leasedBeforeNanoUsd, sharers };
  });
  const nothing = async (): Promise<void> => {};
  const table = new SliceTable({
    store: { lease: async () => answers.shift() as Lease, lower: nothing, drop: nothing },
    clock: systemClock,
    logger: silentLogger,
    processId: () => 'here',
    onUnregistered: () => {},
    sweep: nothing,
    exchange: { askOthers: async () => false, onAsked: () => {}, tellReturned: () => {} },
  });
  const asked = table.acquire(table.add({ id: 'usr-1' }), { ...FIRST, amountNanoUsd: 5n });
  return asked.finally(() => table.close());
}

test('money that a process has which does not answer may be found later', async () => {
  await expect(askedOf([9n, 9n, 9n])).rejects.toMatchObject({ code: 'http_503' });
});

test.each([[[9n, 0n]], [[9n, 9n, 0n]]])(
  'money is gone when nobody has any of it, whoever did not answer: %s',
  async (lent) => {
    expect(await askedOf(lent)).toBeNull();
  },
);
