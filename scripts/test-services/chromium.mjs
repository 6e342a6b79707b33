// The browser for the tests of the console: found on the machine, or installed where that is allowed. The tests look
// for it themselves and say when there is none.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installWithApt } from './install-with-apt.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

export function ensureChromium() {
  if (process.env.CHROMIUM_PATH !== undefined) return;
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin'].filter((folder) => folder !== '');
  const isThere = folders.some((folder) => NAMES.some((name) => existsSync(join(folder, name))));
  if (!isThere) installWithApt('chromium');
}
