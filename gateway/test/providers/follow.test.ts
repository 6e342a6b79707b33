// Newer prices of vendors without an operator at the keyboard: fetched if the operator chose that, applied if the
// operator chose that too, and never when a price jumps.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Harness, type Json, startHarness } from '../harness.ts';
import { AheadClock } from '../routing/providers.ts';
import { startBook } from './stand-ins.ts';

let harness: Harness;
let book: Awaited<ReturnType<typeof startBook>>;
const clock = new AheadClock();
const CONFIG = '/admin/v1/config';
const DAY_MS = 86_400_000;

beforeAll(async () => {
  book = await startBook();
  const model = (price_source?: string) => ({
    ...(price_source === undefined ? {} : { price_source }),
    pricing: { prompt: '0.15', completion: '0.6' },
    routes: [{ provider: 'vendor', upstream_model: 'gpt-4o-mini' }],
  });
  harness = await startHarness({
    document: {
      providers: { vendor: { protocol: 'openai', base_url: 'http://127.0.0.1:9/v1', api_key: 'k', preset: 'openai' } },
      models: { 'openai/gpt-4o-mini': model('book'), 'openai/typed': model() },
    },
    start: { clock },
    env: { TOLLGATE_PRICES_URL: book.url, TOLLGATE_SSRF_ALLOW: '127.0.0.0/8' },
  });
});

afterAll(async () => {
  await harness.close();
  await book.close();
});

const say = async (wish: string | undefined): Promise<void> => {
  const { price_book: _before, ...live } = await harness.operate('GET', CONFIG);
  await harness.operate('PUT', CONFIG, wish === undefined ? live : { ...live, price_book: wish });
};
const promptOf = async (id: string): Promise<unknown> => {
  const { models } = await harness.operate('GET', CONFIG);
  return (((models as Json)[id] as Json).pricing as Json).prompt;
};
const fetchedAt = async (): Promise<unknown> =>
  (await harness.operate('GET', '/admin/v1/prices?model=gpt-4o-mini')).fetchedAt;
const findings = async (): Promise<Json[]> =>
  (await harness.operate('GET', '/admin/v1/prices/findings')).findings as Json[];
const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  while (!(await isSo())) {
    clock.move(DAY_MS + 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

test('nothing is fetched unless said', async () => {
  clock.move(2 * DAY_MS);
  expect(await fetchedAt()).toBeNull();
});

test('fetched prices change nothing, and what they would change is told', async () => {
  book.factor = 0.9;
  await say('fetch');
  await until(async () => (await fetchedAt()) !== null);
  expect(await promptOf('openai/gpt-4o-mini')).toBe('0.15');
  expect(await findings()).toMatchObject([{ model: 'openai/gpt-4o-mini', kind: 'outdated' }]);
});

test('followed prices are a revision by the price book; what was typed stays', async () => {
  await say('follow');
  await until(async () => (await promptOf('openai/gpt-4o-mini')) === '0.135');
  expect(await promptOf('openai/typed')).toBe('0.15');
  const { data } = await harness.operate('GET', `${CONFIG}/revisions?limit=1`);
  expect((data as Json[])[0]).toMatchObject({ author: 'price book', source: 'operator' });
});

test('a price that jumps is not followed', async () => {
  book.factor = 3;
  const before = await fetchedAt();
  await until(async () => (await fetchedAt()) !== before);
  await until(async () => (await findings()).length > 0);
  expect(await promptOf('openai/gpt-4o-mini')).toBe('0.135');
  expect(await findings()).toMatchObject([{ kind: 'below cost' }, { kind: 'below cost' }]);
});

test('what cannot be read of newer prices is told, and the rest counts', async () => {
  const tiers = [{ start: 1_000, price: 1e30 }];
  const beyond = { input_mtok: { base: 1, tiers }, output_mtok: { base: 1, tiers } };
  book.odd = [null, { id: 'beyond', match: { starts_with: 'gpt' }, prices: beyond }];
  const before = await fetchedAt();
  await until(async () => (await fetchedAt()) !== before);
  expect(await findings()).toMatchObject([
    { kind: 'below cost' },
    { kind: 'below cost' },
    {
      ...{ model: 'price book', kind: 'unreadable' },
      message: expect.stringContaining('cannot be read: openai/number 1, openai/beyond, one/number 1'),
    },
  ]);
  const { prices } = await harness.operate('GET', '/admin/v1/prices?model=openai/gpt-4o-mini');
  const priced = { vendor: 'openai', model: 'gpt-4o-mini', pricing: { prompt: '0.45', completion: '1.8' } };
  expect(prices).toContainEqual(expect.objectContaining(priced));
});

test('a word that is none is refused', async () => {
  const live = await harness.operate('GET', CONFIG);
  const answer = await harness.request('PUT', CONFIG, { key: ADMIN_TOKEN, body: { ...live, price_book: 'always' } });
  expect(answer.status).toBe(400);
});
