// A student at the page that hands out tokens: the page shows what the session allows, and the student can try it. No
// mail is sent: the test answers in its place.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closePages, hasChromium, launchChromium } from '../console/chromium.ts';
import { checkPage, NO_PROBLEMS } from '../console/page-checks.ts';
import { TEST_MS_MAX } from '../patience.ts';
import { type EduBed, openEduBed } from './campus.ts';

const TIMEOUT_MS = TEST_MS_MAX;

let bed: EduBed;
let browser: Browser;

beforeAll(async () => {
  if (hasChromium) [bed, browser] = await Promise.all([openEduBed(), launchChromium()]);
}, TIMEOUT_MS);

afterAll(async () => {
  if (!hasChromium) return;
  await closePages(browser);
  await bed.close();
}, TIMEOUT_MS);

test.skipIf(!hasChromium)(
  'EDU-06 the token comes with its models, what is left, and a field to try it',
  { timeout: TIMEOUT_MS },
  async () => {
    const { token } = await bed.student(await bed.campus());
    const session = { token, expiresAt: '2030-01-01T00:00:00.000Z', organization: { id: 'org', name: 'Uni' } };
    const page = await browser.newPage({ baseURL: bed.harness.url });
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.route('**/api/edu/request-code', (route) => route.fulfill({ json: { ok: true, sent: true } }));
    await page.route('**/api/edu/verify', (route) => route.fulfill({ json: session }));
    await page.goto('/edu#key=sk-edu-of-the-link');
    await page.getByLabel('Email address').fill('ada@uni.example');
    await page.getByRole('button', { name: 'Mail me a code' }).click();
    await page.getByLabel('Code of six digits').fill('123456');
    await page.getByRole('button', { name: 'Get the token' }).click();
    await page.getByText('Calls: 0 used, without a limit').waitFor();
    await page.getByLabel('Model').selectOption('openai/test');
    await page.getByLabel('Question').fill('Hello there');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText('You said: "Hello there"').waitFor();
    await page.getByText('Calls: 1 used, without a limit').waitFor();
    expect(await page.locator('#snippet').textContent()).toContain('model="openai/test"');
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    expect(complaints).toEqual([]);
  },
);
