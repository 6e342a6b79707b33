// Amounts leave as JSON numbers in one place, and must be read there as what their decimal text says.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatUsd, usdNumber } from './money.ts';

test('BILL-03 the number of an amount is the one that its decimal text stands for', () => {
  const edge = BigInt(Number.MAX_SAFE_INTEGER);
  const amount = fc.oneof(
    fc.bigInt({ min: -(10n ** 19n), max: 10n ** 19n }),
    fc.bigInt({ min: -(10n ** 10n), max: 10n ** 10n }),
    fc.bigInt({ min: edge - 1_000n, max: edge + 1_000n }),
    fc.bigInt({ min: 0n, max: 1_000n }),
  );
  fc.assert(
    fc.property(amount, (nanoUsd) => {
      expect(usdNumber(nanoUsd)).toBe(Number(formatUsd(nanoUsd)));
    }),
    { numRuns: 5_000 },
  );
});
