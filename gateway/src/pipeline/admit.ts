// May this call spend at all? Whoever has cost us too much without paying is kept out before anything is read; what
// else limits spending is gathered here and decided by the ledger, together with the balance and in one step.

import type { Caller } from '../canonical/caller.ts';
import { inCheckingOrder, type SpendCap } from '../canonical/spend-cap.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Brake } from '../modules/ledger/brake.ts';
import type { Exposure } from '../modules/limits/exposure.ts';

export type AdmissionServices = Readonly<{ brake: Pick<Brake, 'caps'>; exposure: Pick<Exposure, 'enter'> }>;

/** Throws the 429 of a user whose unpaid calls were beyond the allowance. */
export function refuseRestricted(caller: Caller, { exposure }: AdmissionServices): void {
  const restrictedMs = exposure.enter(caller.userId);
  if (restrictedMs === 0) return;
  const message = 'Temporarily restricted: too many of your calls were broken off before they could be billed.';
  throw new ApiError('http_429', message, { retryAfterSeconds: Math.ceil(restrictedMs / 1000), isTerminal: true });
}

type Joined = Readonly<{ brakeCaps: readonly SpendCap[]; caps: readonly SpendCap[] }>;

const joinedByCaller = new WeakMap<Caller, Joined>();

/** Every cap and breaker that the call is held against, in the order in which they are checked. */
export function admit(caller: Caller, { brake }: AdmissionServices): readonly SpendCap[] {
  const brakeCaps = brake.caps();
  if (brakeCaps.length === 0) return caller.caps;
  if (caller.caps.length === 0) return brakeCaps;
  const known = joinedByCaller.get(caller);
  if (known?.brakeCaps === brakeCaps) return known.caps;
  const caps = inCheckingOrder([...brakeCaps, ...caller.caps]);
  joinedByCaller.set(caller, { brakeCaps, caps });
  return caps;
}
