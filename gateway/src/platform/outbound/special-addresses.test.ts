// The classifier against a second reading of the registries: intervals of whole numbers instead of prefixes.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAddressRule } from './special-addresses.ts';

const isAllowed = createAddressRule([]);

type Interval = readonly [bigint, bigint];

const v4 = (text: string): bigint => text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
const special4: readonly Interval[] = [
  [v4('0.0.0.0'), v4('0.255.255.255')],
  [v4('10.0.0.0'), v4('10.255.255.255')],
  [v4('100.64.0.0'), v4('100.127.255.255')],
  [v4('127.0.0.0'), v4('127.255.255.255')],
  [v4('168.63.129.16'), v4('168.63.129.16')],
  [v4('169.254.0.0'), v4('169.254.255.255')],
  [v4('172.16.0.0'), v4('172.31.255.255')],
  [v4('192.0.0.0'), v4('192.0.0.255')],
  [v4('192.0.2.0'), v4('192.0.2.255')],
  [v4('192.88.99.0'), v4('192.88.99.255')],
  [v4('192.168.0.0'), v4('192.168.255.255')],
  [v4('198.18.0.0'), v4('198.19.255.255')],
  [v4('198.51.100.0'), v4('198.51.100.255')],
  [v4('203.0.113.0'), v4('203.0.113.255')],
  [v4('224.0.0.0'), v4('255.255.255.255')],
];
const within = (value: bigint, intervals: readonly Interval[]): boolean =>
  intervals.some(([first, last]) => value >= first && value <= last);

const text4 = (value: number): string =>
  [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255].join('.');

test('BYOK-05 every IPv4 address is judged as the registry says, at the edges of ranges too', () => {
  const edges = special4.flatMap(([first, last]) => [first - 1n, first, last, last + 1n]);
  const known = edges.filter((value) => value >= 0n && value <= 0xffff_ffffn).map(Number);
  for (const value of known) expect(isAllowed(text4(value)), text4(value)).toBe(!within(BigInt(value), special4));
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffff_ffff }), (value) => {
      expect(isAllowed(text4(value))).toBe(!within(BigInt(value), special4));
      expect(isAllowed(`::ffff:${text4(value)}`)).toBe(!within(BigInt(value), special4));
    }),
    { numRuns: 5_000 },
  );
});

const groups = (first: number, rest: readonly number[]): string =>
  [first, ...rest].map((group) => group.toString(16)).join(':');

test('BYOK-05 of IPv6 only global unicast is public, less its special parts', () => {
  const isPublic = (first: number, second: number): boolean => {
    if (first < 0x2000 || first > 0x3fff || first === 0x2002) return false;
    if (first === 0x2001) return second >= 0x200 && second !== 0xdb8;
    return first !== 0x3fff || second >= 0x1000;
  };
  const group = fc.integer({ min: 0, max: 0xffff });
  const firstGroup = fc.oneof(
    group,
    fc.constantFrom(0x2001, 0x2002, 0x3fff, 0x2000, 0x4000, 0xfe80, 0xfec0, 0xfc00, 0xff02),
  );
  const secondGroup = fc.oneof(group, fc.constantFrom(0, 0x1ff, 0x200, 0xdb7, 0xdb8, 0xdb9, 0xfff, 0x1000));
  fc.assert(
    fc.property(firstGroup, secondGroup, fc.array(group, { minLength: 6, maxLength: 6 }), (first, second, rest) => {
      // A mapped address is an IPv4 one, and judged above.
      fc.pre(first !== 0);
      expect(isAllowed(groups(first, [second, ...rest]))).toBe(isPublic(first, second));
    }),
    { numRuns: 5_000 },
  );
});

test('BYOK-05 what is let through is let through in every form of it, and nothing beside it', () => {
  const rule = createAddressRule(['10.1.0.0/16', 'fd00:1::/32', '192.168.7.7']);
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', 'fd00:1::5', '192.168.7.7', '8.8.8.8']) {
    expect(rule(address), address).toBe(true);
  }
  for (const address of [
    '10.2.0.0',
    '::10.1.2.3',
    '64:ff9b::a01:203',
    'fd00:2::5',
    '192.168.7.8',
    'fd00:1::5%eth0',
    'x',
    '',
  ]) {
    expect(rule(address), address).toBe(false);
  }
});
