// An operator sells at a markup: the published price is what is held, charged and explained, and the operator's books
// have the cost of calls to the nano-dollar, paid or not.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Harness, type Json, startHarness } from '../harness.ts';
import { rows } from '../identity/rows.ts';

let harness: Harness;
let ann: Awaited<ReturnType<Harness['account']>>;

const PRICING = { prompt: '1.000001', completion: '2' };
/** Nano-USD, of 1,001 and 777 tokens. */
const COST = (1_001n * 1_000_001_000n + 777n * 2_000_000_000n + 500_000n) / 1_000_000n;
/** 12.5 percent more for each price, rounded there, and 0.0001 USD for a call. */
const PRICE = (1_001n * 1_125_001_125n + 777n * 2_250_000_000n + 100_000n * 1_000_000n + 500_000n) / 1_000_000n;

beforeAll(async () => {
  harness = await startHarness({
    models: {
      'openai/sold': { commands: 'tokens-1001-777', entry: { pricing: PRICING } },
      'openai/plain': { commands: 'tokens-1001-777', entry: { pricing: PRICING } },
      'openai/broken': { commands: 'tokens-1001-777+reset-after-3', entry: { pricing: PRICING } },
    },
    document: {
      markups: {
        'openai/*': { percent: 12.5, add: { request: 0.0001 } },
        'openai/plain': { percent: 0 },
      },
    },
  });
  ann = await harness.account(5);
});

afterAll(() => harness.close());

const nano = (usd: unknown): bigint => BigInt(Math.round(Number(usd) * 1e9));
const explain = (id: unknown): Promise<Json> => harness.operate('GET', `/admin/v1/generations/${id}/explain`);
type Totals = Record<'revenueUsd' | 'costUsd' | 'marginUsd' | 'absorbedUsd' | 'markupUsd', number>;
type Overview = Readonly<{ totals: Totals; byDay: Totals[]; topModels: (Totals & { model: string })[] }>;
const overview = async (): Promise<Overview> =>
  (await harness.operate('GET', '/admin/v1/overview')) as unknown as Overview;

describe('a model that is sold for more than it costs', () => {
  test('is published, charged and explained at its price, and its cost is for the operator', async () => {
    const { body: listing } = await harness.request('GET', '/v1/models', { key: ann.key });
    const listed = (listing.data as Json[]).find(({ id }) => id === 'openai/sold');
    expect(listed?.pricing).toMatchObject({ prompt: '1.125001125', completion: '2.25', request: '0.0001' });
    const { body } = await harness.chat(ann.key, { model: 'openai/sold' });
    expect(nano((body.usage as Json).cost)).toBe(PRICE);
    const own = await harness.request('GET', `/v1/generation?id=${body.id}`, { key: ann.key });
    expect(nano(((own.body.data as Json).usage as Json).cost)).toBe(PRICE);
    const told = await explain(body.id);
    expect([nano(told.costUsd), nano(told.chargedUsd)]).toEqual([PRICE, PRICE]);
    expect([nano(told.upstreamUsd), nano(told.marginUsd)]).toEqual([COST, PRICE - COST]);
    const lines = told.lines as { usd: string }[];
    expect(lines.reduce((sum, { usd }) => sum + Number(usd), 0)).toBeCloseTo(Number(told.costUsd), 9);
  });

  test('is not sold to who could pay for what it costs alone', async () => {
    const { key } = await harness.account('0.0000005');
    const refused = await harness.chat(key, { model: 'openai/sold', max_tokens: 1 });
    expect(refused.status).toBe(402);
  });

  test('stands beside models that are sold for what they cost', async () => {
    const { body } = await harness.chat(ann.key, { model: 'openai/plain' });
    expect(nano((body.usage as Json).cost)).toBe(COST);
    expect(await explain(body.id)).toMatchObject({ marginUsd: '0' });
  });
});

test('revenue, cost and margin add up over paid and unpaid calls, in the overview and against invoices', async () => {
  await harness.stream(ann.key, { model: 'openai/sold' });
  await harness.stream(ann.key, { model: 'openai/broken' });
  // Nobody waits for the record of a call that broke.
  const unpaid = () => rows(harness.databaseUrl, 'select id from generations where absorbed_nano_usd > 0');
  await expect.poll(unpaid).toHaveLength(1);
  const { totals, byDay, topModels } = await overview();
  const [books] = await rows<Record<'charged' | 'absorbed' | 'markup', string>>(
    harness.databaseUrl,
    `select sum(cost_nano_usd) as charged, sum(absorbed_nano_usd) as absorbed,
            coalesce(sum(markup_nano_usd), 0) as markup from generations`,
  );
  const booked = (name: 'charged' | 'absorbed' | 'markup'): bigint => BigInt(books?.[name] ?? 0);
  expect(booked('absorbed')).toBeGreaterThan(0n);
  expect(nano(totals.revenueUsd)).toBe(booked('charged'));
  expect(nano(totals.costUsd)).toBe(booked('charged') + booked('absorbed') - booked('markup'));
  expect(nano(totals.marginUsd)).toBe(booked('markup') - booked('absorbed'));
  expect(nano(byDay[0]?.costUsd)).toBe(nano(totals.costUsd));
  expect(nano(byDay[0]?.marginUsd)).toBe(nano(totals.marginUsd));
  const sold = topModels.find(({ model }) => model === 'openai/sold');
  expect(nano(sold?.markupUsd)).toBe(2n * (PRICE - COST));
  const today = new Date().toISOString().slice(0, 10);
  const { costs } = (await harness.operate('GET', `/admin/v1/upstream-costs?from=${today}&to=${today}`)) as {
    costs: { upstreamUsd: string }[];
  };
  expect(costs.reduce((sum, { upstreamUsd }) => sum + nano(upstreamUsd), 0n)).toBe(nano(totals.costUsd));
});

test('a charge keeps the price and the cost of its day when the rule changes', async () => {
  const { body } = await harness.chat(ann.key, { model: 'openai/sold' });
  const document = await harness.operate('GET', '/admin/v1/config');
  const markups = { ...(document.markups as Json), 'openai/sold': { percent: '100' } };
  await harness.operate('PUT', '/admin/v1/config', { ...document, markups });
  const told = await explain(body.id);
  expect([nano(told.chargedUsd), nano(told.upstreamUsd)]).toEqual([PRICE, COST]);
  const later = await harness.chat(ann.key, { model: 'openai/sold' });
  expect(nano((later.body.usage as Json).cost)).toBe(2n * COST);
});
