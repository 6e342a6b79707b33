// Calls to strangers' addresses from a queue in the database: a few at once, and never so many to one host that the
// others wait. What a call leads to is decided by the queue; this file only decides which is called when.

import type { Outbound, OutboundRequest } from './outbound.ts';
import { ForbiddenUrlError, OutboundError } from './outbound-error.ts';

const IN_FLIGHT_MAX = 16;
const PER_HOST_MAX = 4;
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

type PacedCallsInput<Row extends Readonly<{ host: string }>> = Readonly<{
  /** Claims calls that are due, at most this many, and none to these hosts. */
  claim(limit: number, busyHosts: readonly string[]): Promise<readonly Row[]>;
  send(row: Row): Promise<void>;
  /** The result of a call could not be written. Its claim runs out, and it is tried again. */
  onUnrecorded(row: Row, error: unknown): void;
}>;

export function createPacedCalls<Row extends Readonly<{ host: string }>>(input: PacedCallsInput<Row>): PacedCalls {
  const inFlight = new Set<Promise<void>>();
  const byHost = new Map<string, number>();
  const count = (host: string, change: number): void => {
    const calls = (byHost.get(host) ?? 0) + change;
    if (calls === 0) byHost.delete(host);
    else byHost.set(host, calls);
  };
  const begin = (row: Row): void => {
    count(row.host, 1);
    const sending = input
      .send(row)
      .catch((error: unknown) => input.onUnrecorded(row, error))
      .finally(() => {
        count(row.host, -1);
        inFlight.delete(sending);
      });
    inFlight.add(sending);
  };
  return {
    async sendDue() {
      const limit = Math.min(IN_FLIGHT_MAX - inFlight.size, PER_HOST_MAX);
      if (limit <= 0) return 0;
      const busyHosts = [...byHost].filter(([, calls]) => calls + limit > PER_HOST_MAX).map(([host]) => host);
      const due = await input.claim(limit, busyHosts);
      for (const row of due) begin(row);
      return due.length;
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
