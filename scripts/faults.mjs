// `npm run faults`: every fault on every surface in every variant, its forms and the protocols in turn, instead of the
// selection that an ordinary test run takes; with `-- --every`, every form over every protocol. The table of
// docs/reliability.md is written from the results.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './build-if-needed.mjs';

const { values } = parseArgs({ options: { every: { type: 'boolean', default: false } } });
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const run = spawnSync(process.execPath, [vitest, 'run', 'gateway/test/faults'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, TOLLGATE_FAULTS: values.every ? 'every' : 'matrix' },
});
spawnSync(join(root, 'node_modules/.bin/biome'), ['format', '--write', 'docs/reliability.md'], { cwd: root });
process.exitCode = run.status ?? 1;
