// `npm run fuzz:ledger -- --runs N`: the property tests of the ledger, as often as wanted. A failure prints its seed;
// `--seed S` runs that case again.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './build-if-needed.mjs';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '20000' }, seed: { type: 'string' } } });
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const environment = { ...process.env, TOLLGATE_TEST_BUILD: 'off', TOLLGATE_LEDGER_RUNS: values.runs };
if (values.seed !== undefined) environment.TOLLGATE_LEDGER_SEED = values.seed;
const run = spawnSync(process.execPath, [vitest, 'run', 'gateway/test/money/lives.test.ts'], {
  cwd: root,
  stdio: 'inherit',
  env: environment,
});
process.exitCode = run.status ?? 1;
