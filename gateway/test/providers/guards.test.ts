// A mistake in the unit costs a customer a fortune or gives a model away: it is refused, with the unit in the message,
// until somebody confirms it. Prices that were live before are not checked again.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allCommands } from '../../src/cli/commands/all.ts';
import { runCli } from '../../src/cli/run.ts';
import type { ConfigDocument, ModelEntry } from '../../src/contract/config.ts';
import { openPriceBook, type PriceBook } from '../../src/modules/vendors/price-book.ts';
import { findPriceTrouble, findSlips } from '../../src/pipeline/providers/guard-prices.ts';
import { ADMIN_TOKEN, type Harness, type Json, startHarness } from '../harness.ts';

const NOW = Date.parse('2026-11-15T00:00:00Z');
let book: PriceBook;
beforeAll(async () => {
  book = await openPriceBook();
});

const withModel = (id: string, entry: ModelEntry): ConfigDocument => ({
  providers: {
    vendor: { protocol: 'openai', base_url: 'http://127.0.0.1:1/v1', preset: 'openai' },
    own: { protocol: 'openai', base_url: 'http://127.0.0.1:2/v1' },
  },
  models: { [id]: entry },
});
const slips = (id: string, entry: ModelEntry): string[] => findSlips({}, withModel(id, entry), book, NOW);

describe('slips of the unit', () => {
  test.each<[string, ModelEntry, RegExp]>([
    [
      'USD per token',
      { pricing: { prompt: '0.00000015', completion: '0.0000006' } },
      /pricing\.prompt: 0\.00000015 USD per million tokens is a 1 000 000th of 0\.15/,
    ],
    ['cents', { pricing: { prompt: '150', completion: '600' } }, /is 1 000 times 0\.15, which is the price book/],
    [
      'a tier per million',
      {
        pricing: { prompt: '0.15', completion: '0.6' },
        pricing_tiers: [{ above_prompt_tokens: 200_000, prompt: '0.3', completion: '1.2' }],
      },
      /pricing_tiers\[0\]\.prompt: 0\.3 USD per token is 2 000 000 times .* prices of tiers are per token/,
    ],
    [
      'a route',
      {
        pricing: { prompt: '0.15', completion: '0.6' },
        routes: [{ provider: 'own', pricing: { prompt: '99', completion: '0.6' } }],
      },
      /routes\[0\]\.pricing\.prompt: 99 .* the model's own price/,
    ],
    [
      'a tier of a route',
      {
        pricing: { prompt: '0.15', completion: '0.6' },
        routes: [
          { provider: 'own', pricing_tiers: [{ above_prompt_tokens: 200_000, prompt: '0.3', completion: '0.000001' }] },
        ],
      },
      /routes\[0\]\.pricing_tiers\[0\]\.prompt: 0\.3 USD per token is 2 000 000 times/,
    ],
  ])('%s', (_, entry, words) => {
    expect(slips('openai/gpt-4o-mini', entry)).toContainEqual(expect.stringMatching(words));
  });

  test.each<[string, string, ModelEntry]>([
    ['the price itself', 'openai/gpt-4o-mini', { pricing: { prompt: '0.15', completion: '0.6' } }],
    ['a margin', 'openai/gpt-4o-mini', { pricing: { prompt: '1.5', completion: '6' } }],
    ['nothing at all, which was written so', 'openai/gpt-4o-mini', { pricing: { prompt: '0', completion: '0' } }],
    ['a model that nobody knows', 'acme/own', { pricing: { prompt: '5000', completion: '0.000001' } }],
  ])('%s is none', (_, id, entry) => {
    expect(slips(id, entry)).toEqual([]);
  });

  test('prices of other units are looked at too', () => {
    const speech: ModelEntry = { output_modalities: ['speech'], pricing: { character: '15' } };
    expect(slips('openai/tts-1', speech)).toEqual([
      expect.stringMatching(/pricing\.character: 15 USD per character is 1 000 000 times 0\.000015/),
    ]);
    expect(slips('openai/tts-1', { ...speech, pricing: { character: '0.00002' } })).toEqual([]);
    const cached = { prompt: '3', completion: '15', cache_write_1h: '0.000006' };
    expect(slips('anthropic/claude-sonnet-4-5', { pricing: cached })).toEqual([
      expect.stringMatching(/pricing\.cache_write_1h: 0\.000006 USD per million tokens is a 1 000 000th of 6/),
    ]);
  });

  test('a model is known by the vendor of its route, whatever it is called here', () => {
    const routes = [{ provider: 'vendor', upstream_model: 'gpt-4o-mini' }];
    expect(slips('acme/house-model', { pricing: { prompt: '150', completion: '600' }, routes })).toHaveLength(2);
  });

  test('an amount on top of a price is in its unit too', () => {
    const document = withModel('acme/own', { pricing: { prompt: '0.5', completion: '1' } });
    const sold = (add: string): ConfigDocument => ({ ...document, markups: { 'acme/*': { add: { prompt: add } } } });
    expect(findSlips(document, sold('51'), book, NOW)).toEqual([
      expect.stringMatching(
        /add\.prompt: 51 USD per million tokens comes on top of 0\.5, which is the price of acme\/own/,
      ),
    ]);
    expect(findSlips(document, sold('50'), book, NOW)).toEqual([]);
    expect(findSlips(sold('51'), sold('51'), book, NOW)).toEqual([]);
  });

  test('what is live already is not looked at again', () => {
    const document = withModel('openai/gpt-4o-mini', { pricing: { prompt: '150', completion: '600' } });
    expect(findSlips(document, document, book, NOW)).toEqual([]);
  });
});

test('models without a price, below cost and in a wrong unit are found', () => {
  const routes = [{ provider: 'vendor', upstream_model: 'gpt-4o-mini' }];
  const trouble = (entry: ModelEntry) => findPriceTrouble(withModel('acme/house', { ...entry, routes }), book, NOW);
  expect(trouble({})).toMatchObject([{ model: 'acme/house', kind: 'unpriced' }]);
  expect(trouble({ pricing: {} })).toMatchObject([{ model: 'acme/house', kind: 'unpriced' }]);
  expect(trouble({ pricing: { prompt: '0.1', completion: '0.6' } })).toMatchObject([
    { kind: 'below cost', message: 'Sold below cost: prompt 0.1, and the vendor takes 0.15 (USD per million tokens).' },
  ]);
  expect(trouble({ pricing: { prompt: '150', completion: '600' } })).toMatchObject([{ kind: 'unit slip' }]);
  expect(trouble({ pricing: { prompt: '0.15', completion: '0.6' } })).toEqual([]);
});

describe('at the operator API and the command line', () => {
  let harness: Harness;
  const CONFIG = '/admin/v1/config';
  beforeAll(async () => {
    harness = await startHarness();
  });
  afterAll(() => harness.close());

  const slipped = { models: { 'openai/gpt-4o-mini': { pricing: { prompt: '0.00000015', completion: '0.0000006' } } } };
  const put = (query: string) =>
    harness.request('PUT', `${CONFIG}?merge=true${query}`, { key: ADMIN_TOKEN, body: slipped });

  test('a document with a slip is refused, dry run or not, and applied when it is confirmed', async () => {
    const before = await harness.operate('GET', CONFIG);
    for (const query of ['', '&dry_run=true']) {
      const refused = await put(query);
      expect(refused.status).toBe(400);
      expect(refused.text).toContain('USD per million tokens');
      expect(refused.text).toContain('confirm_prices=true');
    }
    expect(await harness.operate('GET', CONFIG)).toEqual(before);
    expect((await put('&confirm_prices=true')).status).toBe(200);
    // It is live now, and other changes do not meet it again.
    const live = await harness.operate('GET', CONFIG);
    await harness.operate('PUT', CONFIG, { ...live, limits: { free_requests_per_minute: 7 } });
    const { findings } = await harness.operate('GET', '/admin/v1/prices/findings');
    expect(findings).toMatchObject([{ model: 'openai/gpt-4o-mini', kind: 'unit slip' }]);
    const printed: string[] = [];
    await runCli({
      ...{ commands: allCommands, parameters: ['prices', 'check'] },
      environment: { TOLLGATE_URL: harness.url, TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN },
      terminal: { print: (text) => printed.push(text), printError: () => {} },
    });
    expect(printed.join()).toMatch(/openai\/gpt-4o-mini +unit slip/);
    // A revision with such a price comes back like any other, once somebody confirms it again.
    const [newest] = (await harness.operate('GET', `${CONFIG}/revisions`)).data as { revision: number }[];
    await harness.operate('PUT', CONFIG, before);
    const restore = (query: string) =>
      harness.request('POST', `${CONFIG}/revisions/${newest?.revision}/restore${query}`, {
        key: ADMIN_TOKEN,
        body: {},
      });
    expect(await restore('')).toMatchObject({ status: 400, text: expect.stringContaining('USD per million tokens') });
    expect(await harness.operate('GET', CONFIG)).toEqual(before);
    expect((await restore('?confirm_prices=true')).status).toBe(200);
  });

  test('a route that was never asked is untried, one that failed is not healthy', async () => {
    const stateOf = async (provider: string): Promise<unknown> => {
      const { routes } = await harness.operate('GET', '/admin/v1/health/routes');
      return (routes as Json[]).find((route) => route.provider === provider)?.state;
    };
    const models = { 'acme/dead': { pricing: { prompt: '1', completion: '1' }, routes: [{ provider: 'dead' }] } };
    await harness.operate('PUT', `${CONFIG}?merge=true`, { models });
    expect([await stateOf('sim'), await stateOf('dead')]).toEqual(['untried', 'untried']);
    const { key } = await harness.account();
    await harness.chat(key, { model: 'openai/test' });
    await harness.chat(key, { model: 'acme/dead' });
    expect(await stateOf('sim')).toBe('healthy');
    expect(['failing', 'isolated']).toContain(await stateOf('dead'));
    const public_ = await harness.request('GET', '/v1/models/acme-dead/routes', { key });
    expect(public_.text).not.toContain('"healthy"');
  });
});
