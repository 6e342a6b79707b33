// Which addresses belong to the public internet. Every other address, however it is spelled or wrapped, leads back into
// the gateway's own network. Check an address that was resolved, never the text of a name.

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** From IANA's registry of special-purpose addresses, and one that a cloud reserves inside the public space. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // The host's own agent in one large cloud answers here.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map((range) => ipaddr.IPv4.parseCIDR(range));

/** Global unicast. What lies outside (loopback, mapped, NAT64, unique local, link local, multicast) is special. */
const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** Protocol assignments with Teredo among them, documentation, and 6to4, which carries any IPv4 address inside. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
);

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Null for text that is not a plain address, such as one with a zone. An IPv4 address mapped into IPv6 becomes IPv4.
 */
function readAddress(text: string): Address | null {
  if (isIP(text) === 0 || text.includes('%')) return null;
  return ipaddr.process(text.includes(':') ? withoutDots(text) : text);
}

/**
 * The library takes the old `::1.2.3.4` for a mapped address, which leads elsewhere. Written in plain groups it is read
 * correctly.
 */
function withoutDots(text: string): string {
  return text.includes('.') ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text;
}

function isPublic(address: Address): boolean {
  if (address instanceof ipaddr.IPv4) return !SPECIAL_IPV4.some((range) => address.match(range));
  return address.match(PUBLIC_IPV6) && !SPECIAL_IPV6.some((range) => address.match(range));
}

/** True where a connection may go: the public internet, and the ranges that the operator allows. */
export type IsAllowedAddress = (address: string) => boolean;

export function createAddressRule(allowCidrs: readonly string[]): IsAllowedAddress {
  const allowed = allowCidrs.map(readRange);
  return (text) => {
    const address = readAddress(text);
    if (address === null) return false;
    return isPublic(address) || allowed.some((range) => isWithin(address, range));
  };
}

type Range = Readonly<{ base: Address; prefixLength: number }>;

/** A single address is a range of one. */
function readRange(text: string): Range {
  if (!text.includes('/')) {
    const base = ipaddr.process(text);
    return { base, prefixLength: base instanceof ipaddr.IPv4 ? 32 : 128 };
  }
  const [base, prefixLength] = ipaddr.parseCIDR(text);
  return { base, prefixLength };
}

function isWithin(address: Address, { base, prefixLength }: Range): boolean {
  if (address instanceof ipaddr.IPv4) return base instanceof ipaddr.IPv4 && address.match(base, prefixLength);
  return base instanceof ipaddr.IPv6 && address.match(base, prefixLength);
}
