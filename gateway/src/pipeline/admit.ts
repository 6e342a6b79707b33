// May this call spend at all? Whoever has cost us too much without paying is kept out before anything is read; what
// else limits spending is gathered here and decided by the ledger, together with the balance and in one step.

import type { Caller } from '../canonical/caller.ts';
import { inCheckingOrder, type SpendCap } from '../canonical/spend-cap.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Brake } from '../modules/ledger/brake.ts';
import type { Ledger, Reservation } from '../modules/ledger/ledger.ts';
import type { Exposure, Restriction } from '../modules/limits/exposure.ts';
import type { Clock } from '../platform/clock.ts';
import type { NanoUsd } from '../platform/money.ts';
import type { Call } from './call.ts';
import type { FreePass } from './free-pass.ts';
import { outputTerms } from './output-terms.ts';
import type { Selection } from './route.ts';

export type AdmissionServices = Readonly<{
  brake: Pick<Brake, 'caps'>;
  exposure: Pick<Exposure, 'restrictionOf' | 'begin' | 'end'>;
}>;

/** Throws the 429 of a user whose unpaid calls were beyond the allowance. */
export function refuseRestricted(
  caller: Caller,
  { exposure, clock }: AdmissionServices & Readonly<{ clock: Clock }>,
): void {
  const restriction = exposure.restrictionOf(caller);
  if (restriction !== null) throw restrictionError(restriction, clock.nowMs());
}

function restrictionError({ untilMs, reason }: Restriction, nowMs: number): ApiError {
  const why = `${WHY[reason] ?? 'your calls'} cost more than your allowance without being paid for.`;
  if (untilMs === null) {
    return new ApiError('http_429', `Restricted until the operator lifts it: ${why}`, { isTerminal: true });
  }
  const until = `${new Date(untilMs).toISOString().slice(0, 19)}Z`;
  const retryAfterSeconds = Math.max(1, Math.ceil((untilMs - nowMs) / 1000));
  return new ApiError('http_429', `Temporarily restricted until ${until}: ${why}`, {
    ...{ retryAfterSeconds, isTerminal: true },
  });
}

const WHY: Readonly<Record<string, string>> = {
  abandoned: 'calls that you broke off',
  interrupted: 'calls that were interrupted',
  exhausted: 'streams that ran out of credit',
  oversize: 'answers too large to be delivered',
  implausible: 'calls whose usage nothing explains',
};

/**
 * Counts the call as under way until `exposure.end` takes the answer back. Throws a 429, with the money returned, while
 * too much of the caller's is unpaid or under way. Half counts of a hold for what cannot be watched, which is mostly more
 * than an answer comes to, and of a whole answer: who leaves one has read none of it.
 */
export function countInFlight(call: Call, funding: Counted, services: InFlightServices): NanoUsd | Promise<NanoUsd> {
  const { caller, request } = call;
  const heldNanoUsd = funding.reservation.amountNanoUsd();
  const [first] = funding.selection.candidates;
  const isWatched = request.isStream && (first === undefined || outputTerms(request, first).isWatched);
  const countedNanoUsd = isWatched ? heldNanoUsd : heldNanoUsd / 2n;
  const waiting = services.exposure.begin(caller, countedNanoUsd);
  if (waiting === 0) return countedNanoUsd;
  const decide = (waitMs: number): NanoUsd => {
    if (waitMs > 0) refuseForNow(call, funding, services, waitMs);
    return countedNanoUsd;
  };
  return typeof waiting === 'number' ? decide(waiting) : waiting.then(decide);
}

type Counted = Readonly<{
  reservation: Reservation;
  selection: Pick<Selection, 'candidates'>;
  pass: Pick<FreePass, 'end'> | null;
}>;

type InFlightServices = AdmissionServices & Readonly<{ ledger: Pick<Ledger, 'release'>; clock: Clock }>;

function refuseForNow(call: Call, funding: Counted, services: InFlightServices, waitMs: number): never {
  services.ledger.release(funding.reservation, null);
  funding.pass?.end(null);
  refuseRestricted(call.caller, services);
  const message =
    'Too much of what your calls cost is unpaid or still under way. Let calls finish, or ask for shorter answers.';
  throw new ApiError('http_429', message, { retryAfterSeconds: Math.ceil(waitMs / 1000), isTerminal: waitMs > 60_000 });
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
