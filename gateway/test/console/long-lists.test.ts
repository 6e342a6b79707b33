// Lists as long as on a large gateway: 500 models, 2,000 users, 10,000 calls. A page draws only what is near the
// window, more as the reader scrolls, and everything for the printer.

import { Client } from 'pg';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from './chromium.ts';
import { type ConsoleBed, openConsole, TEST_TIMEOUT_MS } from './console-bed.ts';

const MODELS = 500;
const USERS = 2_000;
const CALLS = 10_000;
/** As many as a page of the log of calls has. */
const PAGE = 50;
/** More than a page of the statement. */
const ENTRIES = 60;
/** A page of fifty rows with all its parts; all models at once would be many times that. */
const ELEMENTS_MAX = 3_500;

const id = (index: number): string => `maker-${index % 20}/model-${String(index).padStart(3, '0')}`;

let bed: ConsoleBed;
let page: Page;
let userId: string;

beforeAll(async () => {
  if (!hasChromium) return;
  bed = await openConsole({
    models: Object.fromEntries(Array.from({ length: MODELS }, (_, index) => [id(index), {}])),
  });
  const client = new Client(bed.harness.databaseUrl);
  await client.connect();
  await client.query(
    `with people as (select 'usr-person-' || n as id, 'person-' || n || '@example.test' as email from generate_series(1, $1) n),
     opened as (insert into accounts (id) select id from people)
     insert into users (id, email, email_normalized, name) select id, email, email, id from people`,
    [USERS],
  );
  await client.query(
    `insert into generations (
       id, account_id, user_id, key_id, operation, model_id, provider_name, upstream_model, app_name, finish_reason,
       upstream_status, is_stream, is_failover, created_at, duration_ms, prompt_tokens, completion_tokens,
       cached_tokens, cache_write_tokens, reasoning_tokens, prompt_audio_tokens, completion_image_tokens,
       subtotal_nano_usd, cache_discount_nano_usd, cost_nano_usd, absorbed_nano_usd, attempts
     )
     select 'gen-' || lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || lpad(to_hex(n), 24, '0'),
       'usr-person-' || n % $2 + 1, 'usr-person-' || n % $2 + 1, 'key-long', 'chat', 'maker-0/model-000', 'maker',
       'model', null, 'stop', 200, true, false, at, 900, 10, 10, 0, 0, 0, 0, 0, 1000, 0, 1000, 0, 1
     from (select n, now() - n * interval '1 second' as at from generate_series(1, $1::integer) n) made`,
    [CALLS, USERS],
  );
  await client.end();
  const ada = await bed.person('Ada');
  ({ userId } = ada);
  await bed.harness.operate('POST', '/admin/v1/operators', { email: ada.address, role: 'owner' });
  page = await bed.openPage();
  await bed.signIn(page, ada);
}, TEST_TIMEOUT_MS);

afterAll(() => bed?.close(), TEST_TIMEOUT_MS);

const elements = (): Promise<number> => page.evaluate(() => document.querySelectorAll('*').length);

/** The list's items, including those that are drawn while the window moves down to its end. */
async function scrollToEnd(items: string, count: number): Promise<void> {
  await expect
    .poll(async () => {
      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
      return page.locator(items).count();
    })
    .toBe(count);
}

const CARDS = 'main li:has(h2)';
const ROWS = 'main tbody tr';

describe.skipIf(!hasChromium)('a long list', { timeout: TEST_TIMEOUT_MS }, () => {
  test.each([
    { path: 'models', items: CARDS, count: MODELS + 1 },
    { path: 'operator', items: ROWS, count: MODELS + 1 },
    { path: 'operator/catalog', items: ROWS, count: MODELS + 1 },
  ])('at $path is drawn as far as the window, and whole when its end is reached', async ({ path, items, count }) => {
    await page.goto(`/console/${path}`);
    await page.locator(items).first().waitFor();
    expect(await elements()).toBeLessThan(ELEMENTS_MAX);
    expect(await page.locator(items).count()).toBeLessThan(count / 2);
    await scrollToEnd(items, count);
  });

  test.each(['operator/users', 'playground', 'usage'])('at %s is a page of few elements', async (path) => {
    await page.goto(`/console/${path}`);
    await page.waitForLoadState('networkidle');
    expect(await elements()).toBeLessThan(ELEMENTS_MAX);
  });

  test('of 10,000 calls asks for what is shown and once for each page more, also when somebody comes back to it', async () => {
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname === '/admin/v1/calls') asked.push(request.url());
    });
    await page.goto('/console/operator/calls');
    const rows = page.locator(ROWS);
    await expect.poll(() => rows.count()).toBe(PAGE);
    const more = page.getByRole('button', { name: 'Show more' });
    for (let pages = 2; pages <= 4; pages += 1) {
      await more.click();
      await scrollToEnd(ROWS, pages * PAGE);
    }
    expect(asked).toHaveLength(4);
    expect(await elements()).toBeLessThan(2 * ELEMENTS_MAX);
    // A minute later, scrolling, leaving the window and opening a call and coming back fetch nothing again.
    await page.evaluate(() => {
      const now = Date.now;
      Date.now = () => now() + 60_000;
      for (const y of [0, 2_000, 0, document.documentElement.scrollHeight]) window.scrollTo(0, y);
      window.dispatchEvent(new Event('visibilitychange'));
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await rows.nth(0).getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: 'Explain' }).waitFor();
    await page.goBack();
    await scrollToEnd(ROWS, 4 * PAGE);
    expect(asked).toHaveLength(4);
  });

  test('of entries is printed to its end, and not only as far as it was read', async () => {
    for (let entry = 0; entry < ENTRIES; entry += 1) {
      const body = { amountUsd: 0.01, reason: 'a correction', reference: `long-${entry}` };
      await bed.harness.operate('POST', `/admin/v1/users/${userId}/adjustments`, body);
    }
    await page.goto('/console/statement');
    await page.getByRole('button', { name: 'Show more' }).waitFor();
    await page.evaluate(() => {
      window.print = () => {
        window.dispatchEvent(new Event('beforeprint'));
        document.title = 'printed';
      };
    });
    await page.getByRole('button', { name: 'Print' }).click();
    await expect.poll(() => page.title()).toBe('printed');
    expect(await page.locator(ROWS).count()).toBe(ENTRIES + 1);
  });

  test('is found by its name, and printed whole', async () => {
    await page.goto('/console/operator/catalog');
    await page.getByLabel('Find a model').fill('model-499');
    await expect.poll(() => page.locator(ROWS).count()).toBe(1);
    await page.getByLabel('Find a model').fill('');
    expect(await page.locator(ROWS).count()).toBeLessThan(MODELS);
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    expect(await page.locator(ROWS).count()).toBe(MODELS + 1);
  });
});
