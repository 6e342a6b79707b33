// May this call spend at all? A user who has cost us too much without paying is refused before the body is read. The
// caps and breakers of the call are gathered here; the ledger decides on them together with the balance, in one step.

import type { Caller } from '../canonical/caller.ts';
import { inCheckingOrder, type SpendCap } from '../canonical/spend-cap.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Brake } from '../modules/ledger/brake.ts';
import type { Ledger, Reservation } from '../modules/ledger/ledger.ts';
import { costAt } from '../modules/ledger/price-usage.ts';
import type { Exposure, Restriction } from '../modules/limits/exposure.ts';
import type { UnderWay } from '../modules/limits/exposure-rules.ts';
import type { Clock } from '../platform/clock.ts';
import { greaterOf, type NanoUsd } from '../platform/money.ts';
import type { Call } from './call.ts';
import type { FreePass } from './money/free-pass.ts';
import { costLineOf, outputTerms, promptCostBeyond } from './money/output-terms.ts';
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
  const message = `Temporarily restricted until ${until}: ${why}`;
  return new ApiError('http_429', message, { retryAfterSeconds, isTerminal: true });
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
 * too much of the caller's is unpaid or under way.
 */
export function countUnderWay(call: Call, funding: Counted, services: UnderWayServices): UnderWay | Promise<UnderWay> {
  const counted = underWayOf(call, funding, services.ledger.processCount());
  const waiting = services.exposure.begin(call.caller, counted);
  if (waiting === 0) return counted;
  const decide = (waitMs: number): UnderWay => {
    if (waitMs > 0) refuseForNow(call, funding, services, waitMs);
    return counted;
  };
  return typeof waiting === 'number' ? decide(waiting) : waiting.then(decide);
}

/**
 * How much of a call of a user with a clean record counts as under way: an answer of ordinary length in full, and a
 * fifth of the rest that is held, or that a prompt may cost beyond it.
 */
const ORDINARY_TOKENS = 1_024;
/**
 * An answer that is not streamed counts at least as a long one: nobody knows how much the model had written when the
 * caller left.
 */
const UNSEEN_TOKENS = 2_000;
const CLEAN_FACTOR = 5n;

/**
 * A reservation for what cannot be watched counts by half, because it is mostly more than the answer comes to. So does
 * an answer that is not streamed, because a caller who leaves has read none of it. Such an answer shows no progress
 * while it runs, and calls are spread evenly over the processes, so each process assumes that the others have as much
 * under way as itself.
 */
function underWayOf({ request }: Call, { reservation, selection }: Counted, processCount: number): UnderWay {
  const amountNanoUsd = reservation.amountNanoUsd();
  const [first] = selection.candidates;
  if (first === undefined || amountNanoUsd === 0n) return { heldNanoUsd: amountNanoUsd, leastNanoUsd: amountNanoUsd };
  const { isWatched, longest } = outputTerms(request, first);
  const line = costLineOf(request, first);
  const promptNanoUsd = costAt(line, 0);
  const beyondNanoUsd = promptCostBeyond(request, first);
  const likely = (tokens: number): NanoUsd =>
    costAt(line, Math.min(tokens, longest)) - promptNanoUsd + (promptNanoUsd + beyondNanoUsd) / CLEAN_FACTOR;
  const ordinaryNanoUsd = likely(ORDINARY_TOKENS);
  const byHeldNanoUsd = request.isStream && isWatched ? amountNanoUsd : amountNanoUsd / 2n;
  const heldNanoUsd = greaterOf(ordinaryNanoUsd, byHeldNanoUsd + beyondNanoUsd);
  const leastNanoUsd = greaterOf(ordinaryNanoUsd, heldNanoUsd / CLEAN_FACTOR);
  if (request.isStream) return { heldNanoUsd, leastNanoUsd };
  return { heldNanoUsd, leastNanoUsd: greaterOf(leastNanoUsd * BigInt(processCount), likely(UNSEEN_TOKENS)) };
}

type Counted = Readonly<{
  reservation: Reservation;
  selection: Pick<Selection, 'candidates'>;
  pass: Pick<FreePass, 'end'> | null;
}>;

type UnderWayServices = AdmissionServices &
  Readonly<{ ledger: Pick<Ledger, 'release' | 'processCount'>; clock: Clock }>;

function refuseForNow(call: Call, funding: Counted, services: UnderWayServices, waitMs: number): never {
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
export function capsFor(caller: Caller, { brake }: AdmissionServices): readonly SpendCap[] {
  const brakeCaps = brake.caps();
  if (brakeCaps.length === 0) return caller.caps;
  if (caller.caps.length === 0) return brakeCaps;
  const known = joinedByCaller.get(caller);
  if (known?.brakeCaps === brakeCaps) return known.caps;
  const caps = inCheckingOrder([...brakeCaps, ...caller.caps]);
  joinedByCaller.set(caller, { brakeCaps, caps });
  return caps;
}
