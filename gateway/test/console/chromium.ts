// The browser that the console is tested in. On a machine without one these tests are skipped with a message; in
// continuous integration that is a failure, because nothing else tests the pages.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { PATIENCE_MS } from '../patience.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

function findChromium(): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin'].filter((folder) => folder !== '');
  const places = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return process.env.CHROMIUM_PATH ?? places.find((place) => existsSync(place)) ?? null;
}

const program = findChromium();
const isContinuousIntegration = !['', 'false', undefined].includes(process.env.CI);

export const hasChromium = program !== null;

if (program === null) {
  const message = 'NOT RUN: the console in a browser. Install Chromium, or name it with CHROMIUM_PATH.';
  if (isContinuousIntegration) throw new Error(message);
  console.error(`\n!! ${message}`);
}

const LAUNCH_TIMEOUT_MS = PATIENCE_MS;
const CLOSE_TIMEOUT_MS = 15_000;

// Starting one takes two seconds of a processor, and files of tests that run one after another can have the same.
let ofProcess: Promise<Browser> | null = null;

/** The browser of this process. One that hangs at its start is given up, and another one is started. */
export function launchChromium(): Promise<Browser> {
  ofProcess ??= launch().catch(launch);
  return ofProcess;
}

async function launch(): Promise<Browser> {
  if (program === null) throw new Error('there is no Chromium');
  // Containers give shared memory sparingly, and as root Chromium has no sandbox of its own.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];
  return chromium.launch({ executablePath: program, args, timeout: LAUNCH_TIMEOUT_MS });
}

/**
 * Closes all pages with what they have stored. The browser ends with this process; the next file gets another one where
 * a page hangs.
 */
export async function closePages(browser: Browser): Promise<void> {
  const closing = Promise.all(browser.contexts().map((context) => context.close()));
  await within(CLOSE_TIMEOUT_MS, 'the end of a page', closing).catch(() => {
    ofProcess = null;
  });
}

/** The driver itself has no time limit for what a page is asked to do. */
export async function within<Value>(limitMs: number, what: string, work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
