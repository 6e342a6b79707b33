// `npm run fuzz -- --minutes N [--seed S] [--only words]`: the fuzz tests for so long for each target, in place of the
// moment that an ordinary run gives them. A finding is kept among the samples, and its seed makes it again.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './build-if-needed.mjs';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '1' }, seed: { type: 'string' }, only: { type: 'string' } },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error('--minutes takes a number above zero');
const seed = values.seed ?? String(Math.floor(Math.random() * 1_000_000));
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const only = values.only === undefined ? [] : ['-t', values.only];
const run = spawnSync(process.execPath, [vitest, 'run', 'gateway/test/fuzz', '--disable-console-intercept', ...only], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, TOLLGATE_FUZZ_SECONDS: String(minutes * 60), TOLLGATE_FUZZ_SEED: seed },
});
process.exitCode = run.status ?? 1;
