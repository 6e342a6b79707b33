// A gateway that serves the built console, and one browser in front of it. Pages report every breach of the content
// security policy and every error that a script leaves uncaught.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import type { HarnessOptions, Json } from '../harness.ts';
import { openTown, PASSWORD, type Town } from '../signin/people.ts';
import { launchChromium } from './chromium.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** Long, because what is slow on a busy machine is not wrong. */
export const TEST_TIMEOUT_MS = 300_000;
const STEP_TIMEOUT_MS = 30_000;

function bundleConsole(): void {
  if (process.env.TOLLGATE_TEST_BUILD === 'off') return;
  const program =
    "import { buildIfNeeded } from './scripts/build-if-needed.mjs'; process.exit(buildIfNeeded() === 'failed' ? 1 : 0);";
  const result = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: repository,
    encoding: 'utf8',
  });
  if (result.status !== 0) throw new Error(`The console cannot be bundled:\n${result.stdout}${result.stderr}`);
}

export type Person = Readonly<{ userId: string; address: string; password: string }>;

export class ConsoleBed {
  readonly town: Town;
  /** What pages reported: must stay empty. */
  readonly complaints: string[] = [];
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
    const user = await this.harness.operate('POST', '/admin/v1/users', { email: address, name, password: PASSWORD });
    const userId = String(user.id);
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
    return page;
  }

  /** Through the sign-in page, as a person does it. */
  async signIn(page: Page, { address, password }: Person, path = '/console/'): Promise<void> {
    await page.goto(path);
    await page.getByLabel('Email').fill(address);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
  }

  chat(key: string, model: string): Promise<Readonly<{ status: number; body: Json }>> {
    return this.harness.chat(key, { model });
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.town.close();
  }
}

export async function openConsole(options: HarnessOptions = {}): Promise<ConsoleBed> {
  bundleConsole();
  const [town, browser] = await Promise.all([openTown(options), launchChromium()]);
  return new ConsoleBed(town, browser);
}
