// A further vendor of a model has its own prices on its route, whole: base prices, those of long prompts, and extras.

import { expect, test } from 'vitest';
import type { ConfigDocument, ModelEntry } from '../../contract/config.ts';
import { withProvider } from './connect-document.ts';
import type { Offer } from './offers.ts';

const tier = (prompt: string) => [{ above_prompt_tokens: 200_000, prompt, completion: '0.00002' }];
const live = (entry: ModelEntry): ConfigDocument => ({
  providers: { first: { protocol: 'openai', base_url: 'https://first.test/v1' } },
  models: { 'a/b': { ...entry, routes: [{ provider: 'first', upstream_model: 'b' }] } },
});

function routeOf(existing: ModelEntry, entry: ModelEntry, priceSource: Offer['priceSource'] = 'book'): unknown {
  const offer = { id: 'a/b', upstreamModel: 'b-2', entry, priceSource, skip: null, notes: [] };
  const connection = { name: 'second', entry: { protocol: 'openai', base_url: 'https://second.test/v1' } } as const;
  const { models } = withProvider(live(existing), { ...connection, offers: [offer] }) as ConfigDocument;
  expect(models?.['a/b']).toMatchObject(existing);
  const { provider, upstream_model, ...own } = models?.['a/b']?.routes?.[1] ?? {};
  expect([provider, upstream_model]).toEqual(['second', 'b-2']);
  return own;
}

const pricing = { prompt: '1', completion: '10' };
const dearer = { prompt: '2', completion: '12' };

test('its tiers and extras are on its route', () => {
  const extras = { 'service_tier=priority': '2' };
  expect(routeOf({ pricing }, { pricing: dearer, pricing_tiers: tier('0.000004'), extras })).toEqual({
    ...{ pricing: dearer, pricing_tiers: tier('0.000004'), extras },
  });
  // Also where only they differ.
  expect(routeOf({ pricing }, { pricing, pricing_tiers: tier('0.000004') })).toEqual({
    pricing_tiers: tier('0.000004'),
  });
  expect(routeOf({ pricing, extras: { thinking: '3' } }, { pricing, extras })).toEqual({
    extras: { thinking: '3', ...extras },
  });
});

test("a vendor without tiers does not have the first one's, unless it only did not say", () => {
  const tiered = { pricing, pricing_tiers: tier('0.000002') };
  expect(routeOf(tiered, { pricing: dearer })).toEqual({ pricing: dearer, pricing_tiers: [] });
  expect(routeOf(tiered, { pricing: dearer }, 'vendor')).toEqual({ pricing: dearer });
});

test('a vendor that takes the same, or states no price, has nothing of its own', () => {
  const tiered = { pricing, pricing_tiers: tier('0.000002') };
  expect(routeOf(tiered, tiered)).toEqual({});
  expect(routeOf(tiered, {}, null)).toEqual({});
});
