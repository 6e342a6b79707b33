// `npm run fuzz -- (--minutes N | --inputs N | --size night) [--seed S] [--only words] [--processes P] [--resume]`: the
// fuzz tests for so long for each target, or with so many inputs for each, in place of the moment that an ordinary run
// gives them. A finding is kept among the samples, and its seed makes it again. What was reached is told each minute
// and at the end, also when the end is an interruption; `--resume` goes on from there.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './build-if-needed.mjs';

/** Inputs for all targets of a family together. */
const SIZES = { night: { http: 20_000_000, decoder: 200_000_000 }, hour: { http: 500_000, decoder: 20_000_000 } };
const TELL_MS = 60_000;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    inputs: { type: 'string' },
    size: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string' },
    processes: { type: 'string', default: String(availableParallelism()) },
    resume: { type: 'boolean', default: false },
  },
});

const folder = join(root, 'data/fuzz');
const runFile = join(folder, 'run.json');

function positive(name, fallback) {
  const value = values[name] === undefined ? fallback : Number(values[name]);
  if (!(value > 0)) throw new Error(`--${name} takes a number above zero`);
  return value;
}

function newRun() {
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
  const processes = Math.floor(positive('processes'));
  const base = { seed, processes, only: values.only ?? null };
  if (values.size !== undefined) {
    const size = SIZES[values.size];
    if (size === undefined) throw new Error(`--size is one of ${Object.keys(SIZES).join(', ')}`);
    return { ...base, total: size };
  }
  if (values.inputs !== undefined) return { ...base, each: positive('inputs') };
  return { ...base, seconds: positive('minutes', 1) * 60 };
}

if (values.resume && !existsSync(runFile)) throw new Error('there is no run to go on with');
const run = values.resume ? JSON.parse(readFileSync(runFile, 'utf8')) : newRun();
if (!values.resume) rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
writeFileSync(runFile, JSON.stringify(run));

function startProcess(share) {
  const amount = {
    TOLLGATE_FUZZ_SECONDS: run.seconds,
    TOLLGATE_FUZZ_INPUTS: run.each,
    TOLLGATE_FUZZ_HTTP_TOTAL: run.total?.http,
    TOLLGATE_FUZZ_DECODER_TOTAL: run.total?.decoder,
  };
  const given = Object.entries(amount).filter(([, value]) => value !== undefined);
  const environment = {
    ...process.env,
    ...Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
    TOLLGATE_FUZZ_SEED: String(run.seed),
    TOLLGATE_FUZZ_SHARE: `${share}/${run.processes}`,
    TOLLGATE_FUZZ_FOLDER: folder,
  };
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const only = run.only === null ? [] : ['-t', run.only];
  return spawn(process.execPath, [vitest, 'run', 'gateway/test/fuzz', '--disable-console-intercept', ...only], {
    cwd: root,
    stdio: 'inherit',
    env: environment,
    // A group of its own, because its workers compute without a pause and would outlive the one that is told to end.
    detached: true,
  });
}

/** One row for each target, summed over all processes. */
function reached() {
  const rows = new Map();
  for (const file of readdirSync(folder).filter((name) => /\.\d+\.json$/.test(name))) {
    const { name, done, wanted, ms } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    const row = rows.get(name) ?? { name, done: 0, wanted: 0, perSecond: 0 };
    const perSecond = ms === 0 ? 0 : (done * 1_000) / ms;
    rows.set(name, {
      ...row,
      done: row.done + done,
      wanted: row.wanted + wanted,
      perSecond: row.perSecond + perSecond,
    });
  }
  return [...rows.values()];
}

function tell(heading) {
  const count = (value) => Math.round(value).toLocaleString('en-US');
  const lines = reached().map(({ name, done, wanted, perSecond }) => {
    const of = wanted === 0 ? '' : ` of ${count(wanted)}`;
    return `  ${name}: ${count(done)}${of} inputs, ${count(perSecond)} a second`;
  });
  process.stdout.write(`${[`${heading}, seed ${run.seed}`, ...lines].join('\n')}\n`);
}

const children = Array.from({ length: run.processes }, (_, share) => startProcess(share));
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    isInterrupted = true;
    for (const child of children) if (child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  });
}
const telling = setInterval(() => tell('so far'), TELL_MS);
const codes = await Promise.all(children.map((child) => new Promise((resolve) => child.once('exit', resolve))));
clearInterval(telling);
tell(isInterrupted ? 'interrupted; --resume goes on' : 'reached');
process.exitCode = isInterrupted ? 130 : Math.max(...codes.map((code) => code ?? 1));
