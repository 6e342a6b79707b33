// Which subjects wrong guesses are counted for.

import { expect, test } from 'vitest';
import type { Exchange } from '../../http/exchange.ts';
import { sourceOf } from './visitor.ts';

const exchangeFrom = (remoteAddress: string): Exchange => {
  const request = { headers: {}, socket: { remoteAddress } };
  return { request } as unknown as Exchange;
};

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '8193:3512:1:2'],
  ['2001:db8:1:2::9', '8193:3512:1:2'],
  ['2001:db8:1:3::9', '8193:3512:1:3'],
])('%s is counted as %s', (address, source) => {
  expect(sourceOf(exchangeFrom('10.0.0.1'), () => address)).toBe(source);
});

test('where the address cannot be told, the peer is counted', () => {
  expect(sourceOf(exchangeFrom('10.0.0.1'), () => null)).toBe('10.0.0.1');
});
