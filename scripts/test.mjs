// `npm test`: the tests of money and storage on a real PostgreSQL server with Redis, because that is what production
// runs on, and all others on embedded storage. Files that fail, if they are few, run again, alone and with the same
// random seed: what passes then depends on something that it should not, and is told as unsteady. Arguments go to
// vitest; with any given, all of them run on embedded storage, and with `--both` on both.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { buildIfNeeded, root } from './build-if-needed.mjs';
import { ensureChromium } from './test-services/chromium.mjs';
import { ensureDatabasePrograms, obtainPostgres } from './test-services/postgres.mjs';
import { obtainRedis } from './test-services/redis.mjs';

const parameters = process.argv.slice(2).filter((parameter) => parameter !== '--both');
const runsBoth = parameters.length === 0 || process.argv.includes('--both');
const isContinuousIntegration = !['', 'false', undefined].includes(process.env.CI);
/** When more files than this fail, the cause is not a busy machine, and none is run again. */
const UNSTEADY_FILES_MAX = 8;
/** A second time, because a machine that others use as well may stop for seconds at any moment. */
const RETRIES_MAX = 2;
const scratch = mkdtempSync(join(tmpdir(), 'tollgate-test-'));

/** Reads vitest's JSON report. A file that could not even load has no tests in it and counts as one failure. */
function readReport(reportFile) {
  if (!existsSync(reportFile)) return { passed: 0, failures: ['no report was written'], failedFiles: [], slowest: [] };
  const report = JSON.parse(readFileSync(reportFile, 'utf8'));
  const failures = report.testResults.flatMap((file) => {
    const where = relative(root, file.name);
    const failed = file.assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0) return file.status === 'failed' ? [`${where} did not load: ${file.message}`] : [];
    return failed.map((test) => `${where} > ${test.fullName}\n    ${test.failureMessages.join('\n    ')}`);
  });
  const slowest = report.testResults
    .map((file) => ({ seconds: Math.round((file.endTime - file.startTime) / 1000), where: relative(root, file.name) }))
    .sort((one, other) => other.seconds - one.seconds);
  const failedFiles = report.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
  return { passed: report.numPassedTests, failures, failedFiles, slowest: slowest.slice(0, 10) };
}

function runVitest(name, selection, environment) {
  const reportFile = join(scratch, `${name}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  const program = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...reporters, ...selection];
  const startedAtMs = Date.now();
  return new Promise((resolve, reject) => {
    const vitest = spawn(process.execPath, program, { cwd: root, stdio: 'inherit', env: environment });
    stopCurrentRun = () => vitest.kill('SIGTERM');
    vitest.on('error', reject);
    vitest.on('exit', (code) => {
      stopCurrentRun = () => {};
      const { passed, failures, failedFiles, slowest } = readReport(reportFile);
      // Errors outside any test (an unhandled rejection, a failed global set-up) show only in the exit code.
      if (code !== 0 && failures.length === 0) failures.push(`vitest ended with ${code} outside any test`);
      const seconds = Math.round((Date.now() - startedAtMs) / 1000);
      resolve({ name, passed, failures, failedFiles, unsteady: [], slowest, seconds });
    });
  });
}

/** Runs the tests, and then the files that failed again, one after another, if they are few. */
async function runSteadily(name, selection, environment) {
  const first = await runVitest(name, selection, environment);
  const { failures, failedFiles } = first;
  if (failedFiles.length === 0 || failedFiles.length > UNSTEADY_FILES_MAX || isInterrupted) return first;
  const seed = /seed: (-?\d+)/.exec(failures.join('\n'))?.[1];
  const seeded = seed === undefined ? environment : { ...environment, TOLLGATE_TEST_SEED: seed };
  let last = first;
  const unsteady = [];
  for (let tries = 0; tries < RETRIES_MAX && last.failedFiles.length > 0 && !isInterrupted; tries += 1) {
    console.log(`\n${last.failedFiles.length} failed; again, each alone.`);
    unsteady.push(...last.failures);
    last = await runVitest(`${name}-again-${tries}`, [...last.failedFiles, '--no-file-parallelism'], seeded);
  }
  return { ...first, passed: first.passed + failures.length - last.failures.length, failures: last.failures, unsteady };
}

/**
 * The environment of one run. Tests choose their services by these addresses, so addresses that this shell happens to
 * have are removed.
 */
function environmentWith(services) {
  const { DATABASE_URL: _database, REDIS_URL: _redis, ...rest } = process.env;
  // The build was made above already; without this the tests' global set-up would build again for each run.
  return { ...rest, ...services, TOLLGATE_TEST_BUILD: 'off' };
}

/** The suites whose outcome depends most on the database server and on what processes share. */
const STORED = ['caps/', 'ledger/', 'payments/', 'scale/', 'storage/database', 'storage/migrate', 'storage/notices'];

/** Warns loudly about a missing service; in continuous integration a missing service is a failure. */
function reportMissing(name, reason, remedy) {
  console.error(`\n!! NOT RUN: the service tests on ${name}: ${reason}.`);
  console.error(`!! ${remedy}`);
  runs.push({ name: `${name} (not run)`, passed: 0, failures: isContinuousIntegration ? [reason] : [], slowest: [] });
}

async function runOnServices(postgres, redis) {
  const services = { DATABASE_URL: postgres.url, ...(redis.url === undefined ? {} : { REDIS_URL: redis.url }) };
  const names = [postgres.description, redis.description].filter((name) => name !== undefined);
  console.log(`\nThe tests of money and storage, on ${names.join(' and ')}.`);
  const selection = parameters.length > 0 ? parameters : STORED.map((suite) => `gateway/test/${suite}`);
  runs.push(await runSteadily('services', selection, environmentWith(services)));
}

/** Without a PostgreSQL server its suites run on embedded storage, which is better than not at all. */
async function runOnBoth(redis) {
  const postgres = await obtainPostgres();
  if (postgres.missing !== undefined) {
    reportMissing('PostgreSQL', postgres.missing, 'Set DATABASE_URL or install PostgreSQL 15 or later to run them.');
  }
  if (redis.missing !== undefined) {
    reportMissing('Redis', redis.missing, 'Set REDIS_URL or install Redis 6 or later to run them.');
  }
  const areStoredApart = postgres.missing === undefined && parameters.length === 0;
  const others = areStoredApart ? STORED.map((suite) => `--exclude=gateway/test/${suite}**`) : parameters;
  try {
    runs.push(await runSteadily('embedded', others, environmentWith({})));
    if (postgres.missing === undefined && !isInterrupted) await runOnServices(postgres, redis);
  } finally {
    await postgres.stop?.();
  }
}

async function runAll() {
  if (!runsBoth) {
    runs.push(await runSteadily('embedded', parameters, environmentWith({})));
    return;
  }
  // Some tests of both runs start servers of their own and need the programs.
  const redis = await obtainRedis();
  ensureChromium();
  ensureDatabasePrograms();
  try {
    await runOnBoth(redis);
  } finally {
    await redis.stop?.();
  }
}

// This script must outlive the run that it started, to clean up after it. A terminal's interrupt reaches vitest by
// itself.
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
const runs = [{ name: 'build', passed: 0, failures: build === 'failed' ? ['the build failed'] : [], slowest: [] }];
await runAll();
rmSync(scratch, { recursive: true, force: true });

// Readers look at the end of a log first, so every failure is repeated there.
for (const { name, passed, failures, unsteady = [], slowest, seconds } of runs) {
  if (name === 'build' && failures.length === 0) continue;
  console.log(`\n${name}: ${passed} of ${passed + failures.length}${seconds === undefined ? '' : ` in ${seconds} s`}`);
  if (slowest.length > 0) {
    console.log(`  slowest: ${slowest.map((file) => `${file.where} ${file.seconds} s`).join(', ')}`);
  }
  for (const failure of unsteady) console.log(`  UNSTEADY ${failure}`);
  for (const failure of failures) console.log(`  FAILED ${failure}`);
}
const passed = runs.reduce((sum, run) => sum + run.passed, 0);
const failed = runs.reduce((sum, run) => sum + run.failures.length, 0);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && !isInterrupted ? 0 : 1;
