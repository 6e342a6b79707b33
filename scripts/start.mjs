// `npm start`: builds when a source is newer than the build, then runs the gateway in this same process, so that
// SIGTERM and SIGINT reach it directly and its exit code is ours.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildIfNeeded, root } from './build-if-needed.mjs';

const program = join(root, 'gateway/dist/tollgate.js');

function prepare() {
  const outcome = buildIfNeeded();
  if (outcome === 'failed') return 'The build failed; nothing was started.';
  // A production install has no compiler and may have sources with later file times, so the build is used as it is.
  if (outcome === 'no-compiler' && !existsSync(join(root, 'gateway/dist/tollgate.cjs'))) {
    return 'There is no build and no compiler to make one. Run `npm ci` (without --omit=dev) and try again.';
  }
  return null;
}

const refusal = prepare();
if (refusal === null) {
  await import(pathToFileURL(program).href);
} else {
  console.error(refusal);
  process.exitCode = 1;
}
