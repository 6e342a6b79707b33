// Requests per minute, by user and account for callers and by address for the public listings. The window is announced
// on successful answers and on the refusal itself, nowhere else.

import { ApiError } from '../errors/api-error.ts';
import type { Exchange } from '../http/exchange.ts';
import { type ClientAddress, networkOf } from '../modules/identity/client-address.ts';
import type { Ledger, Means } from '../modules/ledger/ledger.ts';
import type { RateDecision, RateLimiter } from '../modules/limits/rate-limit.ts';
import { type RequestRates, requestsPerMinute } from '../modules/limits/tier.ts';

export type RateServices = Readonly<{
  rateLimiter: RateLimiter;
  /** Asked on every call, so that the operator's changes count at once. */
  requestRates(): RequestRates;
  ledger: Pick<Ledger, 'means'>;
}>;

/**
 * A rate limit counts a person in an account, whatever credential they use; calls in one account do not count in
 * another. The tier is the account's.
 */
type Counted = Readonly<{ userId: string; accountId: string }>;

/** Throws 429, or adds the window's headers to the answer to come. Needs no I/O for an account that has been seen. */
export function limitRate(exchange: Exchange, caller: Counted, services: RateServices): void | Promise<void> {
  if (exchange.caller !== undefined) return;
  const means = services.ledger.means(caller.accountId);
  if (means instanceof Promise) return means.then((known) => takeAtTier(exchange, caller, services, known));
  return takeAtTier(exchange, caller, services, means);
}

function takeAtTier(exchange: Exchange, caller: Counted, services: RateServices, means: Means): void | Promise<void> {
  const limit = requestsPerMinute(services.requestRates(), means);
  const { accountId, userId } = caller;
  const subject = accountId === userId ? userId : `${accountId} ${userId}`;
  return apply(exchange, services.rateLimiter.take(subject, limit));
}

export type ListingRateServices = Readonly<{ listingLimiter: RateLimiter; clientAddress: ClientAddress }>;

/** The specification does not state a limit for public listings; this one is generous for people and scripts. */
const LISTING_REQUESTS_PER_MINUTE = 120;

export function limitListingRate(exchange: Exchange, services: ListingRateServices): void | Promise<void> {
  const source = networkOf(exchange.request, services.clientAddress);
  return apply(exchange, services.listingLimiter.take(source, LISTING_REQUESTS_PER_MINUTE));
}

/** A page of the console makes several requests, and these requests cost nothing. */
const SESSION_REQUESTS_PER_MINUTE = 600;

/** Requests from a session are counted apart from those with keys, so that neither uses up the other's limit. */
export function limitSessionRate(
  exchange: Exchange,
  userId: string,
  services: Pick<ListingRateServices, 'listingLimiter'>,
): void | Promise<void> {
  return apply(exchange, services.listingLimiter.take(userId, SESSION_REQUESTS_PER_MINUTE));
}

/** Entra asks for this rate from a directory service, for a whole company. */
const DIRECTORY_REQUESTS_PER_MINUTE = 1_500;

export function limitDirectoryRate(
  exchange: Exchange,
  orgId: string,
  services: Pick<ListingRateServices, 'listingLimiter'>,
): void | Promise<void> {
  return apply(exchange, services.listingLimiter.take(`directory ${orgId}`, DIRECTORY_REQUESTS_PER_MINUTE));
}

function apply(exchange: Exchange, decision: RateDecision | Promise<RateDecision>): void | Promise<void> {
  if (decision instanceof Promise) return decision.then((decided) => enforce(exchange, decided));
  enforce(exchange, decision);
}

function enforce(exchange: Exchange, decision: RateDecision): void {
  const { limit, remaining, resetAtSeconds, retryAfterSeconds } = decision;
  switch (decision.outcome) {
    case 'allowed':
      exchange.headers.push('X-RateLimit-Limit', String(limit));
      exchange.headers.push('X-RateLimit-Remaining', String(remaining));
      exchange.headers.push('X-RateLimit-Reset', String(resetAtSeconds));
      return;
    case 'exceeded':
      throw new ApiError(
        'http_429',
        `Rate limit exceeded: ${limit} requests per minute. Wait as long as Retry-After says.`,
        {
          retryAfterSeconds,
          headers: {
            'X-RateLimit-Limit': String(limit),
            'X-RateLimit-Remaining': '0',
            'X-RateLimit-Reset': String(resetAtSeconds),
          },
        },
      );
    case 'penalized':
      throw new ApiError(
        'http_429',
        'Temporarily restricted after repeatedly exceeding the rate limit. Wait as long as Retry-After says.',
        {
          retryAfterSeconds,
          isTerminal: true,
        },
      );
  }
}
