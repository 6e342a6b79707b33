// From a host to the addresses that may be dialled. All of a name's addresses are looked at, and one that is not allowed
// condemns the name: whoever mixes them is trying which one we take.

import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { forbiddenAddress } from './outbound-error.ts';
import type { IsAllowedAddress } from './special-addresses.ts';

/** All addresses of a name. Rejects when it has none, or when that cannot be found out. */
export type Lookup = (name: string) => Promise<readonly string[]>;

const QUERY_TIMEOUT_MS = 800;
const QUERY_TRIES = 2;
/** Whatever the lookup itself believes to be its limit. */
const LOOKUP_TIMEOUT_MS = 2_000;

/**
 * Asks the system's name servers directly, or those that are named. The operating system's own lookup would also read its hosts file, but it
 * occupies one of a few threads that the whole process shares, and a stranger's name server can hold it for as long as
 * it likes.
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

/** Throws `ForbiddenUrlError` for a host that leads where it must not, anything else when it leads nowhere. */
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
