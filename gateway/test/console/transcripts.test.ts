// Prompts and answers in the console: kept once an organization wants it, shown to readers with the right role, and
// erased.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PATIENCE_MS } from '../patience.ts';
import { hasChromium } from './chromium.ts';
import { type ConsoleBed, openConsole, TEST_TIMEOUT_MS, untilTold } from './console-bed.ts';
import { checkPage, NO_PROBLEMS } from './page-checks.ts';

let bed: ConsoleBed;
let page: Page;

beforeAll(async () => {
  if (!hasChromium) return;
  bed = await openConsole({ models: { 'openai/test': {} } });
  page = await bed.openPage();
}, TEST_TIMEOUT_MS);

afterAll(() => bed?.close(), TEST_TIMEOUT_MS);

const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();

test.skipIf(!hasChromium)(
  'an organization keeps what its keys send, shows it with the call, and erases it',
  async () => {
    const { harness } = bed;
    const ann = await bed.person('Ann');
    const { userId } = ann;
    await bed.signIn(page, ann);
    const { id: orgId } = await harness.operate('POST', '/admin/v1/orgs', { name: 'Acme', ownerUserId: userId });
    await harness.operate('POST', `/admin/v1/orgs/${orgId}/credits`, { amountUsd: 5, note: 'welcome' });
    const wish = { name: 'ci', keyType: 'standard', userId };
    const { key } = await harness.operate('POST', `/admin/v1/orgs/${orgId}/keys`, wish);

    await page.goto(`/console/org/${orgId}`);
    await page.getByRole('switch', { name: 'Keep prompts and answers' }).click();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await untilTold(page, 'The settings of prompts and answers are saved.', () => press('Save these settings'));

    const messages = [{ role: 'user', content: 'Where do herons nest?' }];
    const answer = await harness.chat(String(key), { model: 'openai/test', messages });
    expect(answer.status, answer.text).toBe(200);
    const path = `/console/generations/${answer.headers.get('x-generation-id')}?orgId=${orgId}`;
    // It is written within a second or so of the answer.
    await expect
      .poll(
        async () => {
          await page.goto(path);
          await press('Show the prompt and the answer');
          await page.waitForLoadState('networkidle');
          return page.getByText('Where do herons nest?').count();
        },
        { timeout: PATIENCE_MS },
      )
      .toBeGreaterThan(0);
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);

    await page.goto(`/console/org/${orgId}`);
    await press('Erase all');
    await untilTold(page, 'All kept prompts and answers are erased.', () => press('Erase them'));
    expect(bed.complaints).toEqual([]);
    expect(bed.unpublishedCalls()).toEqual([]);
  },
  TEST_TIMEOUT_MS,
);
