// An organization from its founding to the revoking of its key, through the pages of its administrator and those of a
// person who was invited.

import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from './chromium.ts';
import { type ConsoleBed, openConsole, type Person, TEST_TIMEOUT_MS, untilTold } from './console-bed.ts';
import { checkPage, NO_PROBLEMS } from './page-checks.ts';

/** 1000 tokens at $20 and 50 at $40 per million: $0.022 a call. */
const MODEL = 'openai/dear';

let bed: ConsoleBed;
let page: Page;
let secret = '';
let bo: Person;

beforeAll(async () => {
  if (!hasChromium) return;
  bed = await openConsole({
    models: { [MODEL]: { commands: 'tokens-1000-50', entry: { pricing: { prompt: '20', completion: '40' } } } },
  });
  page = await bed.openPage();
  bo = await bed.person('Bo', 1);
  await bed.signIn(page, await bed.person('Ann'));
}, TEST_TIMEOUT_MS);

afterAll(() => bed?.close(), TEST_TIMEOUT_MS);

afterEach(() => {
  expect(bed?.complaints ?? []).toEqual([]);
});

const button = (name: string, place: Page | Locator = page): Locator =>
  place.getByRole('button', { name, exact: true });

const open = async (link: string): Promise<void> => {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: link, exact: true }).click();
  await page.getByRole('heading', { level: 1, name: link, exact: true }).waitFor();
  await page.waitForLoadState('networkidle');
};

async function makeRule(name: string, word: string, action: string): Promise<void> {
  await button('New rule').first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Looks for').selectOption('keyword');
  await dialog.locator('[name=pattern]').fill(word);
  await dialog.locator('[name=action]').selectOption(action);
  await button('Create the rule').click();
  await page.getByRole('row', { name: new RegExp(name) }).waitFor();
}

const send = (content: string) => bed.harness.chat(secret, { model: MODEL, messages: [{ role: 'user', content }] });

describe.skipIf(!hasChromium)('an organization in the console', { timeout: TEST_TIMEOUT_MS }, () => {
  test('it is founded and gets two teams', async () => {
    const main = page.getByRole('navigation', { name: 'Main' });
    await main.getByRole('link', { name: 'All organizations' }).click();
    await button('New organization').first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Acme');
    await button('Create it').click();
    await main.getByRole('link', { name: 'Teams' }).waitFor();
    const orgId = /\/org\/([^/]+)/.exec(page.url())?.[1];
    await bed.harness.operate('POST', `/admin/v1/orgs/${orgId}/credits`, { amountUsd: 5, note: 'welcome' });
    await open('Teams');
    for (const name of ['Blue', 'Red']) {
      await button('New team').first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill(name);
      await dialog.getByLabel('Monthly budget, USD').fill('3');
      await button('Create the team').click();
      await page.getByRole('row', { name: new RegExp(`^${name}`) }).waitFor();
    }
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
  });

  test('somebody is invited by mail, accepts, and sees what a member may see', async () => {
    await open('Members');
    await button('Add a member').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email').fill(bo.address);
    await dialog.getByLabel('Team').selectOption({ label: 'Blue' });
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await button('Send the invitation').click();
    await page.getByRole('row', { name: new RegExp(`^${bo.address} Member Blue`) }).waitFor();

    const link = await bed.mailedPath(bo.address);
    const others = await bed.openPage();
    await bed.signIn(others, await bed.person('Dee'));
    await others.goto(link);
    await others.getByText(`To accept, sign in as ${bo.address}.`).waitFor();
    expect(await button('Accept', others).count()).toBe(0);
    await button('Sign out and go on', others).click();
    await others.getByLabel('Password').waitFor();
    expect(new URL(others.url()).hash).toBe(new URL(link, others.url()).hash);
    await others.context().close();

    const theirs = await bed.openPage();
    await theirs.goto(link);
    await theirs.getByText('To join Acme on Tollgate.').waitFor();
    expect(await checkPage(theirs)).toEqual(NO_PROBLEMS);
    await theirs.getByRole('link', { name: 'Sign in to accept' }).click();
    await theirs.getByLabel('Email').fill(bo.address);
    await theirs.getByLabel('Password').fill(bo.password);
    await button('Sign in', theirs).click();
    await theirs.getByText(`Signed in as ${bo.address}.`).waitFor();
    await button('Accept', theirs).click();
    await theirs.getByRole('heading', { level: 1, name: 'Acme' }).waitFor();
    const theirPages = theirs.getByRole('navigation', { name: 'Main' }).getByRole('link');
    await theirPages.filter({ hasText: 'Organization keys' }).waitFor();
    expect(await theirPages.filter({ hasText: /Members|Reports|Audit log/ }).count()).toBe(0);
    expect(await checkPage(theirs)).toEqual(NO_PROBLEMS);
    await theirs.context().close();

    await open('Teams');
    await open('Members');
    await page.getByRole('row', { name: /^Bo .*Member Blue/ }).waitFor();
    await page.getByText('None are open.').waitFor();
  });

  test('a key of it is made and calls on its balance', async () => {
    await open('Organization keys');
    await button('New key').first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('ci');
    await button('Create key', dialog).click();
    secret = (await dialog.getByLabel('The secret of the new key').textContent()) ?? '';
    await button('I have copied it').click();
    await page.getByRole('row', { name: /^ci/ }).waitFor();
    expect((await send('Say hello.')).status).toBe(200);
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
  });

  test('a word that is blocked is seen blocked, on the page and in a call', async () => {
    await open('Content filters');
    await makeRule('Code name', 'falcon', 'block');
    await makeRule('Birds', 'sparrows', 'flag');
    await page.getByLabel('Text', { exact: true }).fill('Tell me about falcon.');
    await button('Try the rules').click();
    await page.getByText(/The call would be refused/).waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    const refused = await send('Tell me about falcon.');
    expect(refused.status).toBe(403);
    const flagged = await send('Tell me about sparrows.');
    expect(flagged.status).toBe(200);
    const orgId = /\/org\/([^/]+)/.exec(page.url())?.[1];
    await page.goto(`/console/generations/${String(flagged.body.id)}?orgId=${orgId}`);
    const reviews = page.getByRole('region', { name: 'Reviews' });
    await reviews
      .getByRole('row', { name: 'Birds content filter what was sent flagged, unchanged none given' })
      .waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await page.goto(`/console/org/${orgId}/filters`);
  });

  test('a breaker that is set trips', async () => {
    await bed.stayWithinHour(secret, MODEL);
    await open('Breakers');
    const spent = Number(/\$([\d.]+) of/.exec((await page.getByText(/^This hour:/).textContent()) ?? '')?.[1]);
    await page.getByLabel('Watching').selectOption('on');
    await page.getByLabel('At most in an hour, USD').fill((spent + 0.01).toFixed(4));
    await untilTold(page, 'The breaker is saved.', () => button('Save the breaker').click());
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    expect([(await send('Say hello.')).status, (await send('Say hello.')).status]).toEqual([200, 429]);
    await open('Audit log');
    await page
      .getByText(/breaker/i)
      .first()
      .waitFor();
  });

  test('the report shows what was spent, and comes as a file', async () => {
    await open('Reports');
    await page
      .getByText(/\$0\.0[0-9]+/)
      .first()
      .waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await page.getByRole('tab', { name: 'By model' }).click();
    await page.getByText(MODEL).first().waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    const [download] = await Promise.all([page.waitForEvent('download'), button('Save as CSV').click()]);
    expect(download.suggestedFilename()).toMatch(/^tollgate-by-model-\d{4}-\d{2}\.csv$/);
    expect(await readFile(await download.path(), 'utf8')).toContain(MODEL);
  });

  test('a revoked key is refused', async () => {
    await open('Organization keys');
    await button('Revoke ci').click();
    await button('Revoke the key').click();
    await page.getByText('The key is revoked.').waitFor();
    expect((await send('Say hello.')).status).toBe(401);
  });

  test('a directory gets a token, which is shown once', async () => {
    await open('Single sign-on');
    await page.getByLabel('Name of the token').fill('Entra');
    await button('Make a token').click();
    const shown = page.getByRole('dialog').getByLabel('Token', { exact: true });
    const token = (await shown.textContent()) ?? '';
    expect((await bed.harness.request('GET', '/scim/v2/Users', { key: token })).body.totalResults).toBe(0);
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await page.keyboard.press('Escape');
    await button('Remove the token Entra').waitFor();
    await button('Remove the token Entra').click();
    expect((await bed.harness.request('GET', '/scim/v2/Users', { key: token })).status).toBe(200);
    await button('Remove the token', page.getByRole('dialog')).click();
    await page.getByText('Entra is removed.').waitFor();
    expect((await bed.harness.request('GET', '/scim/v2/Users', { key: token })).status).toBe(401);
  });

  test('whoever is asked finds it in the console, accepts there, and leaves again', async () => {
    const cy = await bed.person('Cy');
    await open('Members');
    await button('Add a member').click();
    await page.getByRole('dialog').getByLabel('Email').fill(cy.address);
    await button('Send the invitation').click();
    await page.getByRole('row', { name: new RegExp(`^${cy.address} Member`) }).waitFor();

    const theirs = await bed.openPage();
    await bed.signIn(theirs, cy);
    await theirs.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'All organizations' }).click();
    await theirs.getByRole('row', { name: /^Acme Member Ann/ }).waitFor();
    expect(await checkPage(theirs)).toEqual(NO_PROBLEMS);
    await button('Accept', theirs).click();
    await button('Leave Acme', theirs).click();
    expect(await checkPage(theirs)).toEqual(NO_PROBLEMS);
    await button('Leave', theirs.getByRole('dialog')).click();
    await theirs.getByText('You have left Acme.').waitFor();
    await theirs.getByText('You are not in an organization yet').waitFor();
    await theirs.context().close();
  });

  test('the pages called nothing but what is published', () => {
    expect(bed.unpublishedCalls()).toEqual([]);
  });
});
