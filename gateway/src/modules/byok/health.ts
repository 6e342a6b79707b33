// What is known of an upstream's health, in our own words. The upstream's own texts, and the address that its name
// resolves to, stay out.

import type { OutboundFailure } from '../../platform/outbound/outbound-error.ts';

export type HealthStatus = 'unknown' | 'healthy' | 'unhealthy';

/** How a call or a check failed. The first eight are what calls know. */
export type HealthFailure =
  | 'rate_limited'
  | 'auth_failed'
  | 'unavailable'
  | 'rejected'
  | 'model_missing'
  | 'unreachable'
  | 'timeout'
  | 'malformed'
  | 'forbidden';

const sentences: Readonly<Record<HealthFailure, string>> = {
  rate_limited: 'The upstream is limiting the rate of requests.',
  auth_failed: 'The upstream does not accept the key.',
  unavailable: 'The upstream answers with errors.',
  rejected: 'The upstream does not accept requests.',
  model_missing: 'The upstream does not know a model that is mapped to it.',
  unreachable: 'The upstream cannot be reached.',
  timeout: 'The upstream does not answer in time.',
  malformed: 'The upstream gives answers that cannot be used.',
  forbidden: 'The address of the upstream is not allowed.',
};

export type Health = Readonly<{ status: HealthStatus; lastError: string | null }>;

export const HEALTHY: Health = { status: 'healthy', lastError: null };

export const unhealthy = (failure: HealthFailure): Health => ({ status: 'unhealthy', lastError: sentences[failure] });

const outboundFailures: Readonly<Record<OutboundFailure, HealthFailure>> = {
  unreachable: 'unreachable',
  timeout: 'timeout',
  oversize: 'malformed',
  undecodable: 'malformed',
  too_many_redirects: 'malformed',
};

export const failureOfOutbound = (kind: OutboundFailure): HealthFailure => outboundFailures[kind];
