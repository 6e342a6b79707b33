// A gateway that serves the built console, and one browser in front of it. Pages report every violation of the content
// security policy and every uncaught error of a script.

import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { HarnessOptions, Json } from '../harness.ts';
import { PATIENCE_MS, TEST_MS_MAX } from '../patience.ts';
import { addPerson, openTown, PASSWORD, type Town } from '../signin/people.ts';
import { bundleConsole } from './bundle.ts';
import { closePages, launchChromium } from './chromium.ts';

/** Long, because being slow on a busy machine is not an error. */
export const TEST_TIMEOUT_MS = TEST_MS_MAX;
const STEP_TIMEOUT_MS = PATIENCE_MS;
const HOUR_MS = 3_600_000;

/** `GET /v1/models/:slug` of the published surface as a pattern of what is called. */
function publishedCalls(): readonly RegExp[] {
  const surface = readFileSync(new URL('../surface/published-surface.txt', import.meta.url), 'utf8');
  return surface
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/).slice(1).join(' '))
    .map((call) => new RegExp(`^${call.replaceAll('*', '.*').replace(/:\w+/g, '[^/]+')}$`));
}

export type Person = Readonly<{ userId: string; address: string; password: string }>;

export class ConsoleBed {
  readonly town: Town;
  /** Problems that pages reported: must stay empty. */
  readonly complaints: string[] = [];
  /** Requests of pages, without those for their own files. */
  readonly #calls = new Set<string>();
  readonly #browser: Browser;

  constructor(town: Town, browser: Browser) {
    this.town = town;
    this.#browser = browser;
  }

  get harness(): Town['harness'] {
    return this.town.harness;
  }

  /** A person whom the operator has made, with credit. */
  async person(name: string, creditUsd = 10): Promise<Person> {
    const address = this.town.newAddress();
    const userId = await addPerson(this.harness, { email: address, name });
    await this.harness.operate('POST', `/admin/v1/users/${userId}/credits`, { amountUsd: creditUsd, note: 'welcome' });
    return { userId, address, password: PASSWORD };
  }

  /** A fresh browser profile with one page. */
  async openPage(): Promise<Page> {
    const context = await this.#browser.newContext({
      baseURL: this.harness.url,
      viewport: { width: 1280, height: 900 },
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(STEP_TIMEOUT_MS);
    const page = await context.newPage();
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('request', (request) => {
      const { origin, pathname } = new URL(request.url());
      if (origin === this.harness.url && !pathname.startsWith('/console')) {
        this.#calls.add(`${request.method()} ${pathname}`);
      }
    });
    return page;
  }

  /** Requests of pages to routes that are not published, which no other program could make: must be empty. */
  unpublishedCalls(): readonly string[] {
    const published = publishedCalls();
    return [...this.#calls].filter((call) => !published.some((pattern) => pattern.test(call)));
  }

  /** The address within the console that the last of so many mails leads to. */
  async mailedPath(address: string, count = 1): Promise<string> {
    const link = /https?:\/\/[^\s/]+(\/console\/[\w-]+#token=[\w-]+)/.exec(await this.town.mail(address, count));
    if (link?.[1] === undefined) throw new Error('the mail has no link into the console');
    return link[1];
  }

  /**
   * Spending is counted by the hour of the clock, and an hour that ends within a test would start the count again. A
   * clock that jumps puts the ledger's claim in doubt until it is renewed, so the test waits for the next call of a
   * key.
   */
  async stayWithinHour(key: string, model: string): Promise<void> {
    const leftMs = HOUR_MS - (this.town.clock.nowMs() % HOUR_MS);
    if (leftMs >= TEST_TIMEOUT_MS) return;
    this.town.clock.move(leftMs);
    await expect.poll(async () => (await this.chat(key, model)).status, { timeout: STEP_TIMEOUT_MS }).not.toBe(503);
  }

  /** Through the sign-in page, as a person does it; null where it is open already. */
  async signIn(page: Page, { address, password }: Person, path: string | null = '/console/'): Promise<void> {
    if (path !== null) await page.goto(path);
    await page.getByLabel('Email').fill(address);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
  }

  chat(key: string, model: string): Promise<Readonly<{ status: number; body: Json }>> {
    return this.harness.chat(key, { model });
  }

  async close(): Promise<void> {
    await closePages(this.#browser);
    await this.town.close();
  }
}

/** Does something and waits for the word about it, which goes away by itself, so that the wait begins first. */
export async function untilTold(page: Page, word: string, act: () => Promise<unknown>): Promise<void> {
  await Promise.all([page.getByText(word).waitFor(), act()]);
}

export async function openConsole(options: HarnessOptions = {}): Promise<ConsoleBed> {
  bundleConsole();
  const [town, browser] = await Promise.all([openTown(options), launchChromium()]);
  return new ConsoleBed(town, browser);
}
