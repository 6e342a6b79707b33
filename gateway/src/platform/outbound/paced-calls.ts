// Calls to strangers' addresses from a queue in the database: a few at once, and never so many to one host, for one
// owner, or for owners whose receivers hang, that the others wait. What a call leads to is decided by the queue; this
// file only decides which is called when.

import type { Clock } from '../clock.ts';
import { Shares } from '../shares.ts';
import { SlowOwners } from '../slow-owners.ts';
import type { Outbound, OutboundRequest } from './outbound.ts';
import { ForbiddenUrlError, OutboundError } from './outbound-error.ts';

const IN_FLIGHT_MAX = 32;
/** An owner can give addresses at as many hosts as they like, all of which hang. */
const PER_OWNER_MAX = 8;
const PER_HOST_MAX = 4;
/** For all owners together whose receivers were slow lately. */
const SLOW_IN_FLIGHT_MAX = 16;
/** Several in one claim where nothing is under way yet, else one: what a claim finds may all belong together. */
const CLAIM_SIZES = [PER_HOST_MAX, 1];
const TIMEOUT_MS = 20_000;
const ANSWER_BYTES_MAX = 65_536;

/** Longer than a call may take; then another process tries. */
export const CLAIM_MS = 45_000;

export type PacedCalls = Readonly<{
  /** Begins the calls that are due, as far as there is room; answers how many. */
  sendDue(): Promise<number>;
  /** Resolves when no call is under way. */
  idle(): Promise<void>;
}>;

type PacedCall = Readonly<{
  host: string;
  /** Whose address it is. */
  ownerId: string;
}>;

/** Those that have no room for as many calls as are claimed. */
export type Busy = Readonly<{ hosts: readonly string[]; ownerIds: readonly string[] }>;

type PacedCallsInput<Row extends PacedCall> = Readonly<{
  clock: Clock;
  /** Claims calls that are due, at most this many, and none of those that are busy. */
  claim(limit: number, busy: Busy): Promise<readonly Row[]>;
  send(row: Row): Promise<void>;
  /** The result of a call could not be written. Its claim runs out, and it is tried again. */
  onUnrecorded(row: Row, error: unknown): void;
}>;

export function createPacedCalls<Row extends PacedCall>(input: PacedCallsInput<Row>): PacedCalls {
  const inFlight = new Set<Promise<void>>();
  const byHost = new Shares(PER_HOST_MAX);
  const byOwner = new Shares(PER_OWNER_MAX);
  const slow = new SlowOwners(input.clock);
  const begin = (row: Row): void => {
    byHost.begin(row.host);
    byOwner.begin(row.ownerId);
    const sinceMs = input.clock.monotonicMs();
    const sending = input
      .send(row)
      .catch((error: unknown) => input.onUnrecorded(row, error))
      .finally(() => {
        byHost.end(row.host);
        byOwner.end(row.ownerId);
        slow.ended(row.ownerId, sinceMs);
        inFlight.delete(sending);
      });
    inFlight.add(sending);
  };
  const busyOwners = (limit: number): readonly string[] => {
    const slowIds = slow.ids();
    return [...byOwner.without(limit), ...(byOwner.ofAll(slowIds) + limit > SLOW_IN_FLIGHT_MAX ? slowIds : [])];
  };
  const claim = async (size: number): Promise<number> => {
    const limit = Math.min(IN_FLIGHT_MAX - inFlight.size, size);
    if (limit <= 0) return 0;
    const due = await input.claim(limit, { hosts: byHost.without(limit), ownerIds: busyOwners(limit) });
    for (const row of due) begin(row);
    return due.length;
  };
  return {
    async sendDue() {
      for (const size of CLAIM_SIZES) {
        const begun = await claim(size);
        if (begun > 0 || inFlight.size === 0) return begun;
      }
      return 0;
    },
    async idle() {
      await Promise.all(inFlight);
    },
  };
}

/** A second attempt would end the same way. */
export const FORBIDDEN = 'forbidden';

/** Null when the receiver confirmed. */
export async function tell(
  outbound: Pick<Outbound, 'request'>,
  request: Pick<OutboundRequest, 'url' | 'purpose' | 'method' | 'headers' | 'body'>,
): Promise<string | null> {
  const bounds = { timeoutMs: TIMEOUT_MS, responseBytesMax: ANSWER_BYTES_MAX };
  try {
    return verdictOf((await outbound.request({ method: 'POST', ...request, ...bounds })).status);
  } catch (error) {
    if (error instanceof ForbiddenUrlError) return FORBIDDEN;
    if (!(error instanceof OutboundError)) throw error;
    // Nobody reads the body, so one that is too long or cannot be decoded changes nothing.
    return error.status === null ? error.kind : verdictOf(error.status);
  }
}

const verdictOf = (status: number): string | null => (status >= 200 && status <= 299 ? null : `status ${status}`);
