// Tokens that a cache keeps for an hour, where the provider only counts them. A line that a provider's batch has run is
// charged when nothing is known of it but its body and its prices.

import { expect, test } from 'vitest';
import type { Candidate } from '../../canonical/model.ts';
import { NO_PRICES } from '../../canonical/price.ts';
import { type Usage, zeroUsage } from '../../canonical/usage.ts';
import { parseChatRequest } from '../../dialects/chat/parse-request.ts';
import { withHourWrites } from './hour-writes.ts';

const writes: Usage = { ...zeroUsage, promptTokens: 10, cacheWriteTokens: 8 };

function hourTokens(ttl: string, cacheWriteHour: bigint | null, protocol = 'openai', usage = writes) {
  const part = { type: 'text', text: 'Hi.', cache_control: { type: 'ephemeral', ttl } };
  const request = parseChatRequest({ model: 'm/1', messages: [{ role: 'user', content: [part] }] });
  const prices = { base: { ...NO_PRICES.base, cacheWriteHour }, tiers: [] };
  const candidate = { provider: { protocol }, upstreamModel: 'm', prices } as unknown as Candidate;
  return withHourWrites(usage, request, candidate).units?.cacheWriteHourTokens;
}

test('BILL-09 they are those that the body asked to keep for so long, and that have a price', () => {
  expect(hourTokens('1h', 2n)).toBe(8);
  expect(hourTokens('5m', 2n)).toBeUndefined();
  expect(hourTokens('1h', null)).toBeUndefined();
  // Its own records tell them apart.
  expect(hourTokens('1h', 2n, 'anthropic')).toBeUndefined();
  expect(hourTokens('1h', 2n, 'openai', { ...writes, units: { cacheWriteHourTokens: 0 } })).toBe(0);
});
