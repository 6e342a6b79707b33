// Where a call comes from. A header is believed only when the operator named it and the peer that sent it is one of the
// operator's proxies; everything unclear is null, and address restrictions refuse null.

import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

type ClientAddressOptions = Readonly<{
  /** Lower case; null when no proxy stands in front and the peer itself is the client. */
  header: string | null;
  trustedProxies: readonly string[];
}>;

/** The parts of a request that tell its origin. */
type Arrival = Readonly<{
  headers: IncomingHttpHeaders;
  socket: Readonly<{ remoteAddress?: string | undefined }>;
}>;

/** The client's address in its one canonical spelling (IPv4 also where it came as mapped IPv6), or null. */
export type ClientAddress = (arrival: Arrival) => string | null;

export function createClientAddress({ header, trustedProxies }: ClientAddressOptions): ClientAddress {
  const proxies = trustedProxies.map((cidr) => ipaddr.parseCIDR(cidr));
  return ({ headers, socket }) => {
    const peer = parseAddress(socket.remoteAddress);
    if (header === null || peer === null) return peer?.toString() ?? null;
    if (!proxies.some((range) => isInRange(peer, range))) return null;
    const value = headers[header];
    // A repeated header arrives joined or as a list, and neither parses as one address.
    return parseAddress(typeof value === 'string' ? value.trim() : undefined)?.toString() ?? null;
  };
}

function parseAddress(text: string | undefined): Address | null {
  if (text === undefined) return null;
  // The library also accepts octal and shortened IPv4, which other programs read differently.
  const isStrict = ipaddr.IPv4.isValidFourPartDecimal(text) || (ipaddr.IPv6.isValid(text) && !text.includes('%'));
  return isStrict ? ipaddr.process(text) : null;
}

function isInRange(address: Address, [network, bits]: [Address, number]): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

const IPV6_NETWORK_PARTS = 4;

/** Whom a limit counts: an IPv6 visitor has a whole network of addresses, so the network is counted. */
export function networkOf(arrival: Arrival, clientAddress: ClientAddress): string {
  const address = clientAddress(arrival) ?? arrival.socket.remoteAddress ?? 'unknown';
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, IPV6_NETWORK_PARTS).join(':') : parsed.toString();
}

/** Entries are IPv4 addresses, IPv4 ranges, or IPv6 addresses (never ranges), as the specification has them. */
export function isAllowedAddress(allowedCidrs: readonly string[], address: string | null): boolean {
  if (allowedCidrs.length === 0) return true;
  if (address === null) return false;
  const parsed = ipaddr.parse(address);
  return allowedCidrs.some((entry) => {
    if (entry.includes('/')) return isInRange(parsed, ipaddr.parseCIDR(entry));
    return ipaddr.process(entry).toString() === address;
  });
}

const IPV4_RANGE = /^(\d{1,3}(?:\.\d{1,3}){3})\/(\d|[12]\d|3[0-2])$/;

/** Whether an entry may be stored; one that passes here always parses above. */
export function isAllowListEntry(entry: string): boolean {
  const range = IPV4_RANGE.exec(entry);
  if (range !== null) return ipaddr.IPv4.isValidFourPartDecimal(range[1] ?? '');
  return parseAddress(entry) !== null;
}
