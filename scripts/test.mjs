// `npm test`: every test on embedded storage, then the service tests again on a real PostgreSQL server with Redis, because
// that is what production runs on. Arguments go to vitest; with any given, only the first run happens unless `--both` is
// one.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfNeeded, root } from './build-if-needed.mjs';
import { ensureChromium } from './test-services/chromium.mjs';
import { obtainPostgres } from './test-services/postgres.mjs';
import { obtainRedis } from './test-services/redis.mjs';

const parameters = process.argv.slice(2).filter((parameter) => parameter !== '--both');
const runsBoth = parameters.length === 0 || process.argv.includes('--both');
const isContinuousIntegration = !['', 'false', undefined].includes(process.env.CI);
const scratch = mkdtempSync(join(tmpdir(), 'tollgate-test-'));

/** Counts from vitest's JSON report. A file that could not even load has no tests in it and counts as one failure. */
function countTests(reportFile) {
  if (!existsSync(reportFile)) return { passed: 0, failed: 1 };
  const report = JSON.parse(readFileSync(reportFile, 'utf8'));
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  );
  return { passed: report.numPassedTests, failed: report.numFailedTests + brokenFiles.length };
}

function runVitest(name, selection, environment) {
  const reportFile = join(scratch, `${name}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  const program = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...reporters, ...selection];
  return new Promise((resolve, reject) => {
    const vitest = spawn(process.execPath, program, { cwd: root, stdio: 'inherit', env: environment });
    stopCurrentRun = () => vitest.kill('SIGTERM');
    vitest.on('error', reject);
    vitest.on('exit', (code) => {
      stopCurrentRun = () => {};
      const counts = countTests(reportFile);
      // Errors outside any test (an unhandled rejection, a failed global set-up) show only in the exit code.
      const isSilentFailure = code !== 0 && counts.failed === 0;
      resolve({ name, passed: counts.passed, failed: counts.failed + (isSilentFailure ? 1 : 0) });
    });
  });
}

/** The environment of one run: what a service's address is decides what the tests use, so nothing is left to chance. */
function environmentWith(services) {
  const { DATABASE_URL: _database, REDIS_URL: _redis, ...rest } = process.env;
  // Built above already; the global set-up of the tests would build once more for each run.
  return { ...rest, ...services, TOLLGATE_TEST_BUILD: 'off' };
}

/** The suites whose outcome depends most on the server and on what processes share; the others would repeat themselves. */
const STORED = ['caps', 'ledger', 'payments', 'scale', 'storage'];

/** A service that is missing is told loudly, and is a failure in continuous integration. */
function reportMissing(name, reason, remedy) {
  console.error(`\n!! NOT RUN: the service tests on ${name}: ${reason}.`);
  console.error(`!! ${remedy}`);
  runs.push({ name: `${name} (not run)`, passed: 0, failed: isContinuousIntegration ? 1 : 0 });
}

async function runOnServices(redis) {
  const postgres = await obtainPostgres();
  if (postgres.missing !== undefined) {
    reportMissing('PostgreSQL', postgres.missing, 'Set DATABASE_URL or install PostgreSQL 15 or later to run them.');
    return;
  }
  const services = { DATABASE_URL: postgres.url, ...(redis.url === undefined ? {} : { REDIS_URL: redis.url }) };
  const names = [postgres.description, redis.description].filter((name) => name !== undefined);
  console.log(`\nThe service tests again, on ${names.join(' and ')}.`);
  try {
    const selection = parameters.length > 0 ? parameters : STORED.map((suite) => `gateway/test/${suite}/`);
    runs.push(await runVitest('services', selection, environmentWith(services)));
  } finally {
    await postgres.stop();
  }
}

/** Redis is obtained first: some tests of both runs start a server of their own and need the program. */
async function runAll() {
  const redis = runsBoth ? await obtainRedis() : {};
  if (runsBoth) ensureChromium();
  try {
    runs.push(await runVitest('embedded', parameters, environmentWith({})));
    if (redis.missing !== undefined) {
      reportMissing('Redis', redis.missing, 'Set REDIS_URL or install Redis 6 or later to run them.');
    }
    if (runsBoth && !isInterrupted) await runOnServices(redis);
  } finally {
    await redis.stop?.();
  }
}

// This script outlives what it started, to clean up after it. A terminal's interrupt reaches vitest by itself.
let stopCurrentRun = () => {};
let isInterrupted = false;
process.on('SIGINT', () => {
  isInterrupted = true;
});
process.on('SIGTERM', () => {
  isInterrupted = true;
  stopCurrentRun();
});

const build = buildIfNeeded();
const runs = [{ name: 'build', passed: 0, failed: build === 'failed' ? 1 : 0 }];
await runAll();
rmSync(scratch, { recursive: true, force: true });

const total = (count) => runs.reduce((sum, run) => sum + run[count], 0);
for (const run of runs.filter(({ name, failed }) => name !== 'build' || failed > 0)) {
  console.log(`${run.name}: ${run.passed} of ${run.passed + run.failed}`);
}
console.log(`${total('passed')} passed, ${total('failed')} failed`);
process.exitCode = total('failed') === 0 && !isInterrupted ? 0 : 1;
