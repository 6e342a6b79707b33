// `npm run screenshots -- <folder> [name…]`: starts a gateway with the simulator and four weeks of traffic, and writes
// every page of the console in light, in dark and at the width of a phone. With names, only pages whose name begins
// with one of them. The pages in the README are written once more, as one screen and not as a whole page.

import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { bundleConsole } from '../bundle.ts';
import { launchChromium } from '../chromium.ts';
import { PASSWORD } from './company.ts';
import { type DemoTown, OPERATOR_TOKEN, openDemoTown } from './demo-town.ts';
import { EMAIL, type History, keepBusy, makeHistory } from './history.ts';
import { GUEST_PAGES, memberPages, operatorPages, type Pictured } from './pages.ts';

const DAYS = 27;
const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
const STEP_TIMEOUT_MS = 30_000;
/** Pages that the README shows, and under which name. */
const README: Readonly<Record<string, string>> = {
  welcome: 'welcome',
  playground: 'playground',
  usage: 'usage',
  organization: 'organization',
  'operator-health': 'operator',
};

const [folderName = join(tmpdir(), 'tollgate-screenshots'), ...names] = process.argv.slice(2);
const folder = resolve(folderName);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const isWanted = ({ name }: Pictured): boolean => names.length === 0 || names.some((wanted) => name.startsWith(wanted));

async function openPage(browser: Browser, town: DemoTown): Promise<Page> {
  const context = await browser.newContext({ baseURL: town.app.url, viewport: DESKTOP, reducedMotion: 'reduce' });
  context.setDefaultTimeout(STEP_TIMEOUT_MS);
  return context.newPage();
}

async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
}

/** The theme is set as the page's own button sets it, and everything is drawn again before the picture is taken. */
async function picture(page: Page, name: string): Promise<void> {
  // A dialog covers what is on the screen, and not the whole of a long page.
  const fullPage = !(await page.getByRole('dialog').isVisible());
  const looks = [
    ['light', 'light', DESKTOP],
    ['dark', 'dark', DESKTOP],
    ['phone', 'light', PHONE],
    ['phone-dark', 'dark', PHONE],
  ] as const;
  for (const [look, theme, viewport] of looks) {
    await page.setViewportSize(viewport);
    await page.evaluate((chosen) => {
      document.documentElement.dataset.theme = chosen;
      return new Promise((resolve) => setTimeout(resolve, 250));
    }, theme);
    await page.screenshot({ path: join(folder, `${name}-${look}.png`), fullPage, animations: 'disabled' });
    const shown = README[name];
    if (look === 'light' && shown !== undefined) await page.screenshot({ path: join(folder, `${shown}.png`) });
  }
  const { scrollWidth, clientWidth } = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return { scrollWidth, clientWidth };
  });
  print(scrollWidth > clientWidth ? `${name}: ${scrollWidth - clientWidth} px too wide for a phone` : name);
  await page.setViewportSize(DESKTOP);
}

async function picturePages(page: Page, pages: readonly Pictured[], open: (path: string) => Promise<unknown>) {
  for (const { name, path, prepare } of pages.filter(isWanted)) {
    await open(path);
    await settle(page);
    await prepare?.(page);
    await settle(page);
    await picture(page, name);
  }
}

async function pictureGuests(browser: Browser, town: DemoTown): Promise<void> {
  const page = await openPage(browser, town);
  await picturePages(page, GUEST_PAGES, (path) => page.goto(path));
}

async function pictureMembers(browser: Browser, town: DemoTown, history: History): Promise<void> {
  const page = await openPage(browser, town);
  await page.goto('/console/');
  await page.getByLabel('Email').fill(EMAIL);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  await picturePages(page, memberPages(history), async (path) => {
    // The same page with another fragment would not be loaded again.
    await page.goto('about:blank');
    await page.goto(path);
  });
}

/** Every load forgets the operator's token, so pages are changed within the one that was loaded. */
async function pictureOperator(browser: Browser, town: DemoTown, history: History): Promise<void> {
  const page = await openPage(browser, town);
  await page.goto('/console/operator/brake');
  await page.getByLabel('Operator token').fill(OPERATOR_TOKEN);
  await page.getByRole('button', { name: 'Enter' }).click();
  await page.getByRole('navigation', { name: 'Operator' }).waitFor();
  const show = (path: string) => page.evaluate((next) => window.history.pushState({}, '', next), path);
  await keepBusy(town, history.orgKey);
  await picturePages(page, operatorPages(history), async (path) => {
    await show('/console/operator/brake');
    await page.getByRole('heading', { level: 1, name: 'Brake' }).waitFor();
    await show(path);
  });
}

bundleConsole();
await mkdir(folder, { recursive: true });
const [town, browser] = await Promise.all([openDemoTown(DAYS), launchChromium()]);
try {
  print('Making four weeks of traffic…');
  const history = await makeHistory(town, DAYS);
  await pictureGuests(browser, town);
  await pictureMembers(browser, town, history);
  await pictureOperator(browser, town, history);
  print(`The pictures are in ${folder}`);
} finally {
  await browser.close();
  await town.close();
}
