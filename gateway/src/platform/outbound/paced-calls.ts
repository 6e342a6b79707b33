// Calls to strangers' addresses from a queue in the database: a few at once, and never so many to one host that the others
// wait for it. What a call leads to is the queue's affair; here is only who is called when.

import type { Outbound, OutboundRequest } from './outbound.ts';
import { ForbiddenUrlError, OutboundError } from './outbound-error.ts';

const IN_FLIGHT_MAX = 16;
const PER_HOST_MAX = 4;
const TIMEOUT_MS = 20_000;
const ANSWER_BYTES_MAX = 65_536;

/** Longer than a call may take; then somebody else tries. */
export const CLAIM_MS = 45_000;

export type PacedCalls = Readonly<{
  /** Begins the calls that are due, as far as there is room for them; answers how many. */
  sendDue(): Promise<number>;
  /** Those that are under way. */
  idle(): Promise<void>;
}>;

type PacedCallsInput<Row extends Readonly<{ host: string }>> = Readonly<{
  /** Of the calls that are due, at most so many, and none to these hosts. */
  claim(limit: number, busyHosts: readonly string[]): Promise<readonly Row[]>;
  send(row: Row): Promise<void>;
  /** It could not be written down how a call went. Its claim runs out by itself, and then somebody tries again. */
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

/** No second attempt will end otherwise. */
export const FORBIDDEN = 'forbidden';

/** Null when it was heard. */
export async function tell(
  outbound: Pick<Outbound, 'request'>,
  request: Pick<OutboundRequest, 'url' | 'purpose' | 'method' | 'headers' | 'body'>,
): Promise<string | null> {
  const bounds = { timeoutMs: TIMEOUT_MS, responseBytesMax: ANSWER_BYTES_MAX };
  try {
    const { status } = await outbound.request({ method: 'POST', ...request, ...bounds });
    return status >= 200 && status <= 299 ? null : `status ${status}`;
  } catch (error) {
    if (error instanceof ForbiddenUrlError) return FORBIDDEN;
    if (!(error instanceof OutboundError)) throw error;
    // Somebody was there and had a lot to say; calling again would only make them say it again.
    return error.kind === 'oversize' ? null : error.kind;
  }
}
