// The network that an address is counted under. The holder of one IPv6 address usually has all 2^64 of its network, so
// the network is counted.

import ipaddr from 'ipaddr.js';

const NETWORK_PARTS = 4;

/** For an address in its canonical spelling. */
export function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const { parts } = ipaddr.IPv6.parse(address);
  return `${parts
    .slice(0, NETWORK_PARTS)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
