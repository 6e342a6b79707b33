// Resolves a host to the addresses that may be connected to. All addresses of a name are checked, and one that is not
// allowed makes the whole name forbidden, because such a mixture is an attempt to get us to use the forbidden one.

import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { forbiddenAddress } from './outbound-error.ts';
import type { IsAllowedAddress } from './special-addresses.ts';

/** All addresses of a name. Rejects when it has none, or when that cannot be found out. */
export type Lookup = (name: string) => Promise<readonly string[]>;

const QUERY_TIMEOUT_MS = 800;
const QUERY_TRIES = 2;
/** Applies whatever the resolver's own limit is. */
const LOOKUP_TIMEOUT_MS = 2_000;

/**
 * Asks the system's name servers directly, or those that are given. The operating system's own lookup would also read
 * its hosts file, but it occupies one of a few threads that the whole process shares, and a stranger's name server can
 * block it for as long as it likes.
 */
export function createDnsLookup(servers?: readonly string[]): Lookup {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  return async (name) => {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0) throw new Error('the name has no address');
    return addresses;
  };
}

export type ResolveHost = (host: string) => Promise<readonly string[]>;

/**
 * Throws `ForbiddenUrlError` for a host that leads to a forbidden address, any other error when it does not resolve.
 */
export function createHostResolver(lookup: Lookup, isAllowed: IsAllowedAddress): ResolveHost {
  return async (host) => {
    const addresses = isIP(host) === 0 ? await withinTime(lookup(host)) : [host];
    if (!addresses.every(isAllowed)) throw forbiddenAddress();
    return addresses;
  };
}

function withinTime<Result>(work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the name was not resolved in time')), LOOKUP_TIMEOUT_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
