// The console as it is served, built again where a source is newer than the last build.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { TEST_MS_MAX } from '../patience.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const BUNDLE_TIMEOUT_MS = TEST_MS_MAX;

export function bundleConsole(): void {
  if (process.env.TOLLGATE_TEST_BUILD === 'off') return;
  const program =
    "import { buildIfNeeded } from './scripts/build-if-needed.mjs'; process.exit(buildIfNeeded() === 'failed' ? 1 : 0);";
  const result = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: repository,
    // The runner's own says "test", with which other code of React would be bundled than is served.
    env: { ...process.env, NODE_ENV: 'production' },
    encoding: 'utf8',
    timeout: BUNDLE_TIMEOUT_MS,
  });
  if (result.status !== 0) throw new Error(`The console cannot be bundled:\n${result.stdout}${result.stderr}`);
}
