// The network that a call comes from, under which free calls are counted for all users together. A call that is run
// later has nobody at the other end, so it counts under the network that it was ordered from.

import type { Exchange } from '../http/exchange.ts';
import { networkOf } from '../modules/free-tier/network.ts';
import type { ClientAddress } from '../modules/identity/client-address.ts';

export type NetworkServices = Readonly<{ clientAddress: ClientAddress }>;

/** Callers whose address is unknown share one. */
const UNKNOWN = 'unknown';

export function callNetwork({ request, orderedFrom }: Exchange, { clientAddress }: NetworkServices): string {
  if (orderedFrom !== undefined) return orderedFrom;
  const address = clientAddress(request);
  return address === null ? UNKNOWN : networkOf(address);
}
