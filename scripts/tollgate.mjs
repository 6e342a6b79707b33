#!/usr/bin/env node
// `npx tollgate`: the command line of this checkout, built first when a source is newer than the build.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildIfNeeded, root } from './build-if-needed.mjs';

const program = join(root, 'gateway/dist/cli/main.js');
const outcome = buildIfNeeded();

if (outcome === 'failed' || !existsSync(program)) {
  console.error('The command line could not be built. Run `npm ci` (without --omit=dev) and try again.');
  process.exitCode = 1;
} else {
  await import(pathToFileURL(program).href);
}
