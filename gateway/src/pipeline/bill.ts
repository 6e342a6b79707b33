// The end of a call that was answered: what it used is metered and charged, or nothing is where nothing billable was
// reported. Whoever shows the answer waits for this.

import { type Usage, zeroUsage } from '../canonical/usage.ts';
import type { Bill } from '../dialects/dialect.ts';
import { usdNumber } from '../platform/money.ts';
import type { Call } from './call.ts';
import type { Completion, Ending } from './completion.ts';
import { meter } from './meter.ts';

export type Billed = Readonly<{ call: Call; completion: Completion; ending: Ending; usage: Usage | null }>;

/** Resolves once it is durable. */
export async function bill({ call, completion, ending, usage }: Billed): Promise<Bill> {
  const metered = meter(usage, {
    request: call.request,
    candidate: ending.candidate,
    reservedNanoUsd: completion.reservation.amountNanoUsd(),
  });
  if (metered === null) {
    completion.release(ending);
    return { usage: zeroUsage, costUsd: 0 };
  }
  const chargedNanoUsd = await completion.settle(metered, ending);
  return { usage: metered.usage, costUsd: usdNumber(chargedNanoUsd) };
}
