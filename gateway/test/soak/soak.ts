// `npm run soak -- --minutes 90 --streams 500`: a gateway as it is shipped, under everything that a day brings, for
// that long. In the first sixth it is restarted and killed; then it warms up, and the rest is measured while its clock
// is put forward and back. Prints what was counted and how memory, descriptors and timers changed, and fails when the
// books are wrong, an answer must not happen, or memory grew.

import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Agent, setGlobalDispatcher } from 'undici';
import { NODE_FLAGS } from '../../src/serve/v8-flags.ts';
import { GatewayProcess } from '../behaviour/gateway-process.ts';
import { Company, MODELS } from './clients.ts';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '90' }, streams: { type: 'string', default: '500' } },
});
const totalMs = Number(values.minutes) * 60_000;
const streams = Number(values.streams);
if (!(totalMs > 0) || !(streams > 0)) throw new Error('--minutes and --streams take numbers above zero');

const INSIDE = fileURLToPath(new URL('inside.mjs', import.meta.url));
const HOUR_MS = 3_600_000;
const CLOCK_STEPS_MS = [300_000, -300_000, HOUR_MS, -HOUR_MS, 30_000, -30_000];
const SLOPE_MB_MAX = 1;
/**
 * Facts about calls that are kept for a while, caches that fill and code that V8 compiles are not a leak. V8 compiles
 * what has run often, so the warm-up does often what the rest does rarely.
 */
const WARM_UP_MS = Math.min(1_500_000, totalMs / 3);
const MEGABYTE = 1_048_576;

type Sample = Readonly<{
  atMs: number;
  heapBytes: number;
  externalBytes: number;
  rssBytes: number;
  descriptors: number;
  timers: number;
}>;

const startedMs = performance.now();
const passedMs = (): number => performance.now() - startedMs;

async function measure(gateway: GatewayProcess): Promise<Sample> {
  return { ...((await gateway.ask('measure')) as Omit<Sample, 'atMs'>), atMs: passedMs() };
}

/** Least squares, per hour. */
function slope(samples: readonly Sample[], pick: (sample: Sample) => number): number {
  const meanX = samples.reduce((sum, { atMs }) => sum + atMs, 0) / samples.length;
  const meanY = samples.reduce((sum, sample) => sum + pick(sample), 0) / samples.length;
  const above = samples.reduce((sum, sample) => sum + (sample.atMs - meanX) * (pick(sample) - meanY), 0);
  const below = samples.reduce((sum, { atMs }) => sum + (atMs - meanX) ** 2, 0);
  return below === 0 ? 0 : (above / below) * HOUR_MS;
}

/** In order once, and without warning once. */
async function restart(gateway: GatewayProcess, company: Company, signal: NodeJS.Signals): Promise<void> {
  company.isAway = true;
  await gateway.signal(signal);
  await gateway.start();
  // Streams that were cut are noticed a moment later.
  await sleep(3_000);
  company.isAway = false;
}

async function disturb(gateway: GatewayProcess, company: Company): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL', 'SIGTERM'] as const) {
    await sleep(totalMs / 18);
    await restart(gateway, company, signal);
  }
}

async function watch(gateway: GatewayProcess): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  for (let step = 0; passedMs() < totalMs; step += 1) {
    await sleep(Math.max(totalMs / 120, 2_000));
    const sample = await measure(gateway);
    samples.push(sample);
    // A run that breaks off after an hour has told what it saw.
    process.stderr.write(`${(sample.atMs / 60_000).toFixed(1)} minutes: heap ${sample.heapBytes}\n`);
    if (step % 5 === 4) await gateway.ask(`step ${CLOCK_STEPS_MS[Math.floor(step / 5) % CLOCK_STEPS_MS.length]}`);
  }
  return samples;
}

/** Readers of the report want the first and the last of it. */
function figures(samples: readonly Sample[]): readonly string[] {
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined) return ['nothing was measured'];
  const megabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(1);
  return [
    `measured ${samples.length} times over ${((last.atMs - first.atMs) / 60_000).toFixed(1)} minutes`,
    `heap after collection: ${megabytes(first.heapBytes)} to ${megabytes(last.heapBytes)} MB, ${megabytes(slope(samples, ({ heapBytes }) => heapBytes))} MB an hour`,
    `outside the heap: ${megabytes(first.externalBytes)} to ${megabytes(last.externalBytes)} MB, ${megabytes(slope(samples, ({ externalBytes }) => externalBytes))} MB an hour`,
    `resident: ${megabytes(first.rssBytes)} to ${megabytes(last.rssBytes)} MB`,
    `descriptors: ${first.descriptors} to ${last.descriptors}, at most ${Math.max(...samples.map(({ descriptors }) => descriptors))}`,
    `timers: ${first.timers} to ${last.timers}, at most ${Math.max(...samples.map(({ timers }) => timers))}`,
  ];
}

async function books(gateway: GatewayProcess, key: string, company: Company): Promise<readonly string[]> {
  let check = await gateway.operate('GET', '/admin/v1/ledger/check?full=true');
  for (let tries = 0; tries < 60 && check.heldReservations !== 0; tries += 1) {
    await sleep(500);
    check = await gateway.operate('GET', '/admin/v1/ledger/check?full=true');
  }
  const credits = await gateway.call('GET', '/v1/credits', key);
  const spent = BigInt(Math.round(Number((credits.data as { total_usage: number }).total_usage) * 1e9));
  // A client that was cut off after the commit has paid and was not told.
  const isRight = check.ok === true && check.heldReservations === 0 && spent >= company.toldNanoUsd;
  if (!isRight) process.exitCode = 1;
  return [
    `books: ${check.ok === true ? 'clean' : JSON.stringify(check.discrepancies)}, ${String(check.heldReservations)} reservations held`,
    `charged ${spent} nano-USD, told ${company.toldNanoUsd}`,
  ];
}

// Half a million entries, which a run makes, are checked for minutes on a busy machine.
setGlobalDispatcher(new Agent({ headersTimeout: 0, bodyTimeout: 0 }));
const gateway = await GatewayProcess.prepare(MODELS, { TOLLGATE_OVERLOAD_MS: '0' });
gateway.nodeParameters = [...NODE_FLAGS, '--import', INSIDE];
await gateway.start();
try {
  const user = await gateway.operate('POST', '/admin/v1/users', { email: 'soak@example.test', name: 'Soak' });
  await gateway.operate('POST', `/admin/v1/users/${user.id}/credits`, { amountUsd: 100_000, note: 'soak' });
  const made = await gateway.operate('POST', `/admin/v1/users/${user.id}/keys`, { name: 'soak', keyType: 'standard' });
  const company = new Company(gateway, String(made.key), String(user.id));
  const life = company.begin(streams);
  await disturb(gateway, company);
  company.isHurrying = true;
  await sleep(WARM_UP_MS);
  company.isHurrying = false;
  const samples = await watch(gateway);
  company.stop();
  await life;
  const lines = [
    `${values.minutes} minutes with ${streams} streams, restarted twice in order and killed once`,
    ...Object.entries(company.counts)
      .sort()
      .map(([what, count]) => `  ${what}: ${count}`),
    ...figures(samples),
    `kinds of answers that nobody may get: ${company.problems.length}`,
    ...company.problems.slice(0, 20).map((problem) => `  ! ${problem}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  process.stdout.write(`${(await books(gateway, String(made.key), company)).join('\n')}\n`);
  const growth = slope(samples, ({ heapBytes }) => heapBytes) / MEGABYTE;
  if (company.problems.length > 0 || (totalMs >= HOUR_MS && growth > SLOPE_MB_MAX)) process.exitCode = 1;
} finally {
  await gateway.close();
}
