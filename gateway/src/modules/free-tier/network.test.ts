// Addresses of one subscriber count together, those of two do not.

import { expect, test } from 'vitest';
import { networkOf } from './network.ts';

test('AUTO-09 IPv4 counts by address, IPv6 by its network of 64 bits', () => {
  expect(networkOf('203.0.113.7')).toBe('203.0.113.7');
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe(networkOf('2001:db8:1:2::1'));
  expect(networkOf('2001:db8:1:3::1')).not.toBe(networkOf('2001:db8:1:2::1'));
});
