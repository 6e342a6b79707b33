// Asks an upstream for its list of models: that shows whether it can be reached and takes the key, and which names it
// knows. It costs the customer nothing.

import type { Outbound } from '../../platform/outbound/outbound.ts';
import { ForbiddenUrlError, OutboundError } from '../../platform/outbound/outbound-error.ts';
import { failureOfOutbound, HEALTHY, type Health, unhealthy } from './health.ts';

/** How a protocol lists its models; the composition root knows the protocols. */
export type ModelLister = Readonly<{
  /** Null where a protocol has no list that could be had. */
  call(upstream: ProbedUpstream): Readonly<{ path: string; headers: readonly string[] }> | null;
  /** Null when it is no list, or not all of it. */
  read(body: Buffer): ReadonlySet<string> | null;
}>;

export type Probe = Readonly<{
  health: Health;
  /** The names that the upstream lists; null when it does not say. */
  models: ReadonlySet<string> | null;
}>;

type ProbedUpstream = Readonly<{ baseUrl: string; protocol: string; apiKey: string }>;

/** The person who adds a key waits for the first probe. */
const TIMEOUT_MS = 5_000;
const LIST_BYTES_MAX = 4 * 1024 * 1024;
/** The regular check asks only whether there is an answer; customers have a thousand upstreams that list megabytes. */
const CHECK_BYTES_MAX = 64 * 1024;

/** What customers' upstreams may be addressed by. */
export const UPSTREAM_PURPOSE = { allowHttp: true, allowHighPorts: true };

export async function probe(upstream: ProbedUpstream, { outbound, lister }: ProbeParts): Promise<Probe> {
  const list = lister.call(upstream);
  if (list === null) return { health: HEALTHY, models: null };
  try {
    const { status, body } = await outbound.request(requestFor(upstream, list, LIST_BYTES_MAX));
    return { health: healthOfStatus(status), models: status === 200 ? lister.read(body) : null };
  } catch (error) {
    return { health: healthOfFailure(error), models: null };
  }
}

/** As `probe`, without the names. */
export async function checkHealth(upstream: ProbedUpstream, { outbound, lister }: ProbeParts): Promise<Health> {
  const list = lister.call(upstream);
  if (list === null) return HEALTHY;
  try {
    return healthOfStatus((await outbound.request(requestFor(upstream, list, CHECK_BYTES_MAX))).status);
  } catch (error) {
    const isLonger = error instanceof OutboundError && error.kind === 'oversize' && error.status !== null;
    return isLonger ? healthOfStatus(error.status) : healthOfFailure(error);
  }
}

type ProbeParts = Readonly<{ outbound: Pick<Outbound, 'request'>; lister: ModelLister }>;
type ListCall = NonNullable<ReturnType<ModelLister['call']>>;

const requestFor = ({ baseUrl }: ProbedUpstream, { path, headers }: ListCall, responseBytesMax: number) => ({
  url: baseUrl + path,
  purpose: UPSTREAM_PURPOSE,
  headers: ['accept', 'application/json', ...headers],
  timeoutMs: TIMEOUT_MS,
  responseBytesMax,
});

function healthOfFailure(error: unknown): Health {
  if (error instanceof ForbiddenUrlError) return unhealthy('forbidden');
  if (error instanceof OutboundError) return unhealthy(failureOfOutbound(error.kind));
  throw error;
}

/** Many upstreams have no list of models. One that says so can be reached and has not refused the key. */
function healthOfStatus(status: number): Health {
  if (status === 401 || status === 403) return unhealthy('auth_failed');
  if (status === 429) return unhealthy('rate_limited');
  if (status >= 500) return unhealthy('unavailable');
  return status >= 300 && status < 400 ? unhealthy('malformed') : HEALTHY;
}
