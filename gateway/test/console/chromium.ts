// The browser that the console is tested in. A machine without one skips these tests and says so; in continuous
// integration that is a failure, because nothing else proves the pages.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

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

export function launchChromium(): Promise<Browser> {
  if (program === null) throw new Error('there is no Chromium');
  // Containers give shared memory sparingly, and as root Chromium has no sandbox of its own.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];
  return chromium.launch({ executablePath: program, args, timeout: 120_000 });
}
