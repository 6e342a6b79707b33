// `npm run chaos:database -- --seconds 20 --rounds 20`: takes the database away from a gateway under load, once refusing
// and once hanging, then has a pair of servers fail over so many times in each of four ways; prints what the clients saw
// and what the books say, and fails where the tests of the same names would.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { embeddedUrl } from '../../src/platform/db/embedded/embedded-url.ts';
import { findPostmaster } from '../../src/platform/db/embedded/postmaster.ts';
import { startEmbedded } from '../../src/platform/db/embedded/start-embedded.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { type FailOverMode, failOverAgainAndAgain, openPair } from '../failover/fail-over.ts';
import { type LossOptions, type LossReport, loseDatabase } from './database-loss.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '20' }, rounds: { type: 'string', default: '20' } },
});
const rounds = Number(values.rounds);
if (!Number.isSafeInteger(rounds) || rounds < 0) throw new Error('--rounds takes a whole number');
const seconds = Number(values.seconds);
if (!Number.isSafeInteger(seconds) || seconds < 5) throw new Error('--seconds takes a whole number from 5');

const folder = await mkdtemp(join(tmpdir(), 'tollgate-chaos-'));
const server = await startEmbedded({ dataFolder: folder, logger: silentLogger });

async function newDatabase(name: string): Promise<string> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const postmaster = await findPostmaster(join(folder, 'postgres'));
  return embeddedUrl(postmaster?.socketFolder ?? '', name);
}

function print(mode: LossOptions['mode'], report: LossReport): void {
  const { refusals, inFlight, statusesWhileAway, faults, discrepancies } = report;
  const lines = [
    `${mode} for ${seconds} s, ${report.calls} requests in all`,
    ...Object.entries(statusesWhileAway).map(([what, count]) => `  begun while away: ${what} x ${count}`),
    `  503 after: median ${refusals.medianMs.toFixed(1)} ms, slowest ${refusals.slowestMs.toFixed(1)} ms`,
    `  in flight at the loss: ${inFlight.finished} of ${inFlight.begun} finished`,
    `  charged while away: ${report.chargedWhileAway}`,
    `  served again after ${report.backAfterMs.toFixed(0)} ms`,
    `  faults: ${faults.length}, discrepancies in the books: ${discrepancies.length}`,
    ...[...faults, ...discrepancies].slice(0, 20).map((text) => `  ! ${text}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

try {
  for (const mode of ['refused', 'hung'] as const) {
    const report = await loseDatabase({ databaseUrl: await newDatabase(`chaos_${mode}`), mode, seconds });
    print(mode, report);
    if (report.faults.length > 0 || report.discrepancies.length > 0) process.exitCode = 1;
  }
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

const MODES: readonly FailOverMode[] = ['synchronous', 'asynchronous', 'frozen', 'two primaries'];

if (rounds > 0) {
  const pair = await openPair();
  try {
    const all = MODES.flatMap((mode) => Array.from({ length: rounds }, () => mode));
    await failOverAgainAndAgain(pair, all, (mode, report) => {
      const { calls, served, servedAgainMs, differences, named, ledger } = report;
      const words = `${mode}: ${served} of ${calls} calls served, again after ${servedAgainMs.toFixed(0)} ms, lost and charged again ${named}`;
      process.stdout.write(`${words}, wrong in the books ${differences.length}\n`);
      for (const difference of differences.slice(0, 5)) process.stdout.write(`  ! ${difference}\n`);
      const isWrong = differences.length > 0 || ledger.ok !== true || (mode === 'synchronous' && named > 0);
      if (isWrong) process.exitCode = 1;
    });
  } finally {
    await pair.standby.remove();
    await pair.primary.remove();
  }
}
