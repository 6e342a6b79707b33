// `npm run faults`: every cell of the fault matrix, in place of the choice that an ordinary run of the tests takes, and the
// table of docs/reliability.md written from what was seen.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './build-if-needed.mjs';

const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const run = spawnSync(process.execPath, [vitest, 'run', 'gateway/test/faults'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, TOLLGATE_FAULTS: 'all' },
});
process.exitCode = run.status ?? 1;
