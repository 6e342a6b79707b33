// `npm run chaos:database -- --seconds 20 --rounds 20 --rate 300`: takes the database away from a gateway under load,
// once refusing and once hanging. Then a pair of servers fails over, so many rounds in each of four ways, and gateways
// get as many troubles of four further kinds, or only those that `--modes synchronous,stuck account` names, while so
// many calls begin in a second. Prints what the clients saw and what the books say, and fails where the tests of the
// same names would. `--seconds 0` leaves the first part out.

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
import { TROUBLES, TroubledGateways } from '../failover/troubles.ts';
import { type LossOptions, type LossReport, loseDatabase } from './database-loss.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '20' },
    rate: { type: 'string' },
    modes: { type: 'string' },
  },
});
const MODES: readonly FailOverMode[] = ['synchronous', 'asynchronous', 'frozen', 'two primaries'];
const rounds = Number(values.rounds);
if (!Number.isSafeInteger(rounds) || rounds < 0) throw new Error('--rounds takes a whole number');
const seconds = Number(values.seconds);
if (!Number.isSafeInteger(seconds) || (seconds < 5 && seconds !== 0))
  throw new Error('--seconds takes a whole number from 5, or 0');
const rate = values.rate === undefined ? null : Number(values.rate);
if (rate !== null && !(rate > 0)) throw new Error('--rate takes calls a second');
const named: readonly string[] = values.modes?.split(',') ?? [...MODES, ...TROUBLES];
const modes = MODES.filter((mode) => named.includes(mode));
const troubles = TROUBLES.filter((trouble) => named.includes(trouble));
if (modes.length + troubles.length !== named.length)
  throw new Error(`--modes takes some of ${[...MODES, ...TROUBLES].join(', ')}`);

type Embedded = Readonly<{ server: Awaited<ReturnType<typeof startEmbedded>>; folder: string }>;

async function newDatabase({ server, folder }: Embedded, name: string): Promise<string> {
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

async function loseIt(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-chaos-'));
  const server = await startEmbedded({ dataFolder: folder, logger: silentLogger });
  try {
    for (const mode of ['refused', 'hung'] as const) {
      const databaseUrl = await newDatabase({ server, folder }, `chaos_${mode}`);
      const report = await loseDatabase({ databaseUrl, mode, seconds });
      print(mode, report);
      if (report.faults.length > 0 || report.discrepancies.length > 0) process.exitCode = 1;
    }
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function failOver(): Promise<void> {
  const pair = await openPair();
  try {
    const all = modes.flatMap((mode) => Array.from({ length: rounds }, () => mode));
    await failOverAgainAndAgain(
      pair,
      all,
      (mode, report) => {
        const { calls, served, servedAgainMs, differences, named: lost, ledger } = report;
        const words = `${mode}: ${served} of ${calls} calls served, again after ${servedAgainMs.toFixed(0)} ms, lost and charged again ${lost}`;
        process.stdout.write(`${words}, wrong in the books ${differences.length}\n`);
        for (const difference of differences.slice(0, 5)) process.stdout.write(`  ! ${difference}\n`);
        const isWrong = differences.length > 0 || ledger.ok !== true || (mode === 'synchronous' && lost > 0);
        if (isWrong) process.exitCode = 1;
      },
      rate,
    );
  } finally {
    await pair.standby.remove();
    await pair.primary.remove();
  }
}

async function haveTroubles(): Promise<void> {
  const gateways = await TroubledGateways.start();
  try {
    for (const trouble of troubles.filter((kind) => gateways.canHave(kind))) {
      for (let round = 0; round < rounds; round += 1) {
        const report = await gateways.have(trouble, rate);
        const { calls, served, refusedOthers, differences, recordedAhead, ledger } = report;
        const words = `${trouble}: ${served} of ${calls} calls served, of others refused ${refusedOthers}`;
        process.stdout.write(`${words}, recorded ahead ${recordedAhead}, wrong in the books ${differences.length}\n`);
        for (const difference of differences.slice(0, 5)) process.stdout.write(`  ! ${difference}\n`);
        const isWrong = refusedOthers + recordedAhead + differences.length > 0 || ledger.ok !== true;
        if (isWrong) process.exitCode = 1;
      }
    }
  } finally {
    await gateways.close();
  }
}

if (seconds > 0) await loseIt();
if (rounds > 0 && modes.length > 0) await failOver();
if (rounds > 0 && troubles.length > 0) await haveTroubles();
