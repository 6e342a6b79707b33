// What must be true on every page: no barriers for people with disabilities, in light and in dark, no sideways
// scrolling on a phone, a name beside every value there, no column of a table out of sight on a small laptop, and no
// content that jumps while it loads.

import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { PATIENCE_MS } from '../patience.ts';
import { within } from './chromium.ts';

const DESKTOP = { width: 1280, height: 900 };
const LAPTOP = { width: 1024, height: 800 };
const PHONE = { width: 375, height: 800 };

type Rules = Readonly<{ runOnly?: string[] }>;

const EVERY_RULE: Rules = {};
/** All that a theme changes. */
const COLOURS: Rules = { runOnly: ['color-contrast'] };

type Finding = Readonly<{ id: string; places: readonly string[] }>;

/**
 * Every rule of axe that is broken, with the places. The page's policy forbids foreign scripts, so the debugger injects
 * it.
 */
async function findBarriers(page: Page, rules: Rules): Promise<readonly Finding[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  return page.evaluate(async (chosen) => {
    const { axe: checker } = globalThis as unknown as { axe: typeof axe };
    const { violations } = await checker.run(document, { preload: false, resultTypes: ['violations'], ...chosen });
    return violations.map(({ id, nodes }) => ({
      id,
      places: nodes.map(({ html, failureSummary }) => `${html} ${failureSummary ?? ''}`),
    }));
  }, rules);
}

/** Colours would be measured half-way while they fade, so nothing does from the first check on. */
const setTheme = (page: Page, theme: 'light' | 'dark'): Promise<void> =>
  page.evaluate((chosen) => {
    if (document.adoptedStyleSheets.length === 0) {
      const still = new CSSStyleSheet();
      still.replaceSync('*, ::before, ::after { transition: none !important; }');
      document.adoptedStyleSheets = [still];
    }
    document.documentElement.dataset.theme = chosen;
  }, theme);

export type PageProblems = Readonly<{
  light: readonly Finding[];
  dark: readonly Finding[];
  sidewaysPx: number;
  /** Tables of which a small laptop shows a part only. */
  cutOff: readonly string[];
  /** Columns that have a name, or sort the list, which a phone does not show. */
  nameless: readonly string[];
}>;

export const NO_PROBLEMS: PageProblems = { light: [], dark: [], sidewaysPx: 0, cutOff: [], nameless: [] };

const CHECK_TIMEOUT_MS = PATIENCE_MS;

/** Checks the present page once in each theme, then at the width of a phone, and leaves it as it was. */
export const checkPage = (page: Page): Promise<PageProblems> =>
  within(CHECK_TIMEOUT_MS, `the check of ${page.url()}`, problemsOf(page));

async function problemsOf(page: Page): Promise<PageProblems> {
  const before = await page.evaluate(() => document.documentElement.dataset.theme);
  await setTheme(page, 'light');
  const light = await findBarriers(page, EVERY_RULE);
  await setTheme(page, 'dark');
  const dark = await findBarriers(page, COLOURS);
  await page.setViewportSize(LAPTOP);
  const cutOff = await cutOffTables(page);
  await page.setViewportSize(PHONE);
  const sidewaysPx = await settledOverflow(page);
  const nameless = await namelessColumns(page);
  await page.setViewportSize(DESKTOP);
  await page.evaluate((theme) => {
    if (theme === undefined) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, before);
  return { light, dark, sidewaysPx, cutOff, nameless };
}

/** What lies beyond the right edge. Charts are drawn anew a moment after the width has changed. */
const settledOverflow = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const { documentElement } = document;
    const overflow = (): number => documentElement.scrollWidth - documentElement.clientWidth;
    for (let round = 0; round < 40 && overflow() > 0; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return overflow();
  });

const cutOffTables = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('main section:has(> table)')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map((region) => region.getAttribute('aria-label') ?? ''),
  );

/** Where a table became a list of cards, the names of its columns stand beside the values. */
const namelessColumns = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLTableElement>('table.cards-on-phones')].flatMap((table) => {
      // A dialog that a row opens may contain a table.
      const names = [...(table.tHead?.rows[0]?.cells ?? [])].map((head) =>
        head.querySelector('.sr-only') === null ? (head.textContent ?? '') : '',
      );
      const unsortable = [...table.querySelectorAll(':scope > thead button')]
        .filter((button) => getComputedStyle(button.closest('thead') ?? button).clipPath !== 'none')
        .map((button) => button.textContent ?? '');
      const cells = [...(table.tBodies[0]?.rows[0]?.cells ?? [])];
      const nameless = cells.flatMap((cell, index) => {
        const isShown = getComputedStyle(cell, '::before').content !== 'none';
        const name = names[index] ?? '';
        return index === 0 || name === '' || isShown ? [] : [name];
      });
      return [...unsortable, ...nameless];
    }),
  );

/** How much of the page has moved since the document was loaded without any input. */
export const layoutShift = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        const observer = new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean };
            if (!hadRecentInput) sum += value;
          }
        });
        observer.observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => {
          observer.disconnect();
          resolve(sum);
        }, 100);
      }),
  );

/** What the document has loaded of script so far, in bytes as they came over the wire. */
export const scriptBytes = (page: Page): Promise<number> =>
  page.evaluate(() =>
    (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
  );
