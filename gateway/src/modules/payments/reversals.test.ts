// What is refunded for a part of the credit, in amounts that payment providers take: a part and the rest come to what
// was paid, in every currency.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NANO_PER_USD } from '../../platform/money.ts';
import { CENT_NANO_USD, divideHalfUp, priceOrder } from './price-order.ts';
import { refundedMinor } from './reversals.ts';

const CHANNELS = [
  { currency: 'usd', rateNano: NANO_PER_USD },
  { currency: 'jpy', rateNano: 149_500_000_000n },
  { currency: 'kwd', rateNano: 307_000_000n },
];

test('a part and then the rest give back what was paid, and the rest is no more than is left', () => {
  const credits = fc.bigInt(500n, 1_000_000n).map((cents) => cents * CENT_NANO_USD);
  fc.assert(
    fc.property(credits, fc.constantFrom(...CHANNELS), fc.bigInt(1n, 999n), (creditNanoUsd, channel, thousandths) => {
      const order = { ...priceOrder(creditNanoUsd, channel), reclaimedNanoUsd: 0n };
      const partNanoUsd = (creditNanoUsd * thousandths) / 1000n;
      const step = channel.currency === 'kwd' ? 10n : 1n;
      fc.pre((order.totalMinor * partNanoUsd) / creditNanoUsd >= step);
      const partMinor = refundedMinor(order, partNanoUsd);
      expect(partMinor % step).toBe(0n);
      const reclaimedNanoUsd = divideHalfUp(creditNanoUsd * partMinor, order.totalMinor);
      expect(partMinor + refundedMinor({ ...order, reclaimedNanoUsd }, null)).toBe(order.totalMinor);
    }),
  );
});
