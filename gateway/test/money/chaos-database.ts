// `npm run chaos:database -- --seconds 20`: takes the database away from a gateway under load, once refusing and once
// hanging, prints what the clients saw and what the books say, and fails where the test of the same name would.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { embeddedUrl } from '../../src/platform/db/embedded/embedded-url.ts';
import { findPostmaster } from '../../src/platform/db/embedded/postmaster.ts';
import { startEmbedded } from '../../src/platform/db/embedded/start-embedded.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { type LossOptions, type LossReport, loseDatabase } from './database-loss.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '20' } } });
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
