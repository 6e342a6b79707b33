// Opens connections for undici, each only after its address was checked, and to that very address: the name is looked up
// here and nowhere else, so it cannot mean one thing to the check and another to the dial. A connection that a pool
// keeps goes where it was checked to go; a new one is checked again.

import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { forbiddenAddress } from './outbound-error.ts';
import type { ResolveHost } from './resolve-host.ts';
import type { IsAllowedAddress } from './special-addresses.ts';

const CONNECT_TIMEOUT_MS = 5_000;

export type Connector = buildConnector.connector;

export function createConnector(resolveHost: ResolveHost, isAllowed: IsAllowedAddress): Connector {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: checkedLookup(resolveHost) });
  return (options, callback) => {
    // Sockets look up names alone: an address that is written out has to be checked before.
    if (isIP(options.hostname) !== 0 && !isAllowed(options.hostname)) {
      queueMicrotask(() => callback(forbiddenAddress(), null));
      return;
    }
    connect(options, callback);
  };
}

function checkedLookup(resolveHost: ResolveHost): LookupFunction {
  return (name, { all }, callback) => {
    resolveHost(name).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (all) callback(null, found);
        else if (first === undefined) callback(new Error('the name has no address'), '', 0);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, all ? [] : '', 0),
    );
  };
}
