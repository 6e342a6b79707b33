// `npm run check:image`: runs the steps of the Dockerfile in clean folders, without docker, then starts the result and
// uses it. It reads the Dockerfile itself, so there is no second list of steps. It cannot check what belongs to the
// base image (its Node version, its user); those steps are named and left out. `--keep` leaves the folders.

import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { root } from './build-if-needed.mjs';

const START_DEADLINE_MS = 120_000;
const STOP_DEADLINE_MS = 70_000;
/** Steps about users and folders of the base image. */
const BASE_IMAGE_STEP = /^(?:install -d|chown|useradd|groupadd) /;

const { values: options } = parseArgs({ options: { keep: { type: 'boolean', default: false } } });
const scratch = mkdtempSync(join(tmpdir(), 'tollgate-image-'));
// As root the embedded database runs as another user, who must be able to reach its programs.
chmodSync(scratch, 0o755);

const say = (words) => console.log(words);

function check(isTrue, words) {
  if (!isTrue) throw new Error(`not so: ${words}`);
  say(`  ok: ${words}`);
}

/** Whole instructions, with continued lines joined. */
function readInstructions() {
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8').replace(/^#.*\n/gm, '');
  const lines = text.replace(/\\\n\s*/g, '').split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name, rest] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
      if (name === undefined) throw new Error(`the Dockerfile has a line that is not understood: ${line}`);
      return { name, rest };
    });
}

/** Names anywhere (with a double star and a slash) and paths from the top; our file has no other patterns. */
function readIgnored() {
  const patterns = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const asExpression = (text) => text.replaceAll('.', '\\.').replaceAll('*', '[^/]*');
  const expressions = patterns.map((pattern) =>
    pattern.startsWith('**/')
      ? new RegExp(`(?:^|/)${asExpression(pattern.slice(3))}(?:/|$)`)
      : new RegExp(`^${asExpression(pattern)}(?:/|$)`),
  );
  return (path) => path !== '' && expressions.some((expression) => expression.test(path));
}

const isIgnored = readIgnored();

function copy(stage, rest, stages) {
  const parts = rest.split(/\s+/);
  const from = parts[0]?.startsWith('--from=') ? stages.get(parts.shift().slice('--from='.length)) : null;
  const target = parts.pop();
  const folder = join(stage.folder, stage.workdir, target);
  for (const source of parts) {
    const path = from === null ? join(root, source) : join(from.folder, source);
    const isIntoFolder = !statSync(path).isDirectory() && (target.endsWith('/') || target === '.');
    const isWanted = (file) => from !== null || !isIgnored(relative(root, file));
    const place = isIntoFolder ? join(folder, basename(path)) : folder;
    cpSync(path, place, { recursive: true, filter: isWanted, verbatimSymlinks: true });
  }
}

function run(stage, command) {
  if (BASE_IMAGE_STEP.test(command)) return say(`  left out, it concerns the base image: ${command}`);
  say(`  ${command}`);
  const startedMs = performance.now();
  const done = spawnSync('sh', ['-c', command], {
    cwd: join(stage.folder, stage.workdir),
    encoding: 'utf8',
    env: { ...process.env, ...stage.environment },
  });
  if (done.status !== 0) throw new Error(`${command} failed:\n${done.stdout}${done.stderr}`);
  say(`    ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
}

function openStage(rest, stages) {
  const [, name = `stage-${stages.size}`] = /\sAS\s+(\S+)$/i.exec(rest) ?? [];
  const stage = { folder: join(scratch, name), workdir: '/', environment: {}, command: null, healthCommand: null };
  mkdirSync(stage.folder);
  stages.set(name, stage);
  say(`${name}, from ${rest}`);
  return stage;
}

/** Answers the last stage: what the image would contain. */
function build() {
  const stages = new Map();
  let stage = null;
  const takers = {
    WORKDIR: (rest) => {
      stage.workdir = rest;
      mkdirSync(join(stage.folder, rest), { recursive: true });
    },
    ENV: (rest) => {
      for (const pair of rest.split(/\s+/)) stage.environment[pair.split('=')[0]] = pair.slice(pair.indexOf('=') + 1);
    },
    COPY: (rest) => copy(stage, rest, stages),
    RUN: (rest) => run(stage, rest),
    CMD: (rest) => {
      stage.command = JSON.parse(rest);
    },
    HEALTHCHECK: (rest) => {
      stage.healthCommand = rest.slice(rest.indexOf('CMD ') + 'CMD '.length);
    },
    USER: () => {},
    VOLUME: () => {},
    EXPOSE: () => {},
  };
  for (const { name, rest } of readInstructions()) {
    if (name === 'FROM') stage = openStage(rest, stages);
    else if (takers[name] === undefined)
      throw new Error(`the Dockerfile uses ${name}, which this script does not know`);
    else takers[name](rest);
  }
  return stage;
}

function inspect(image) {
  const app = join(image.folder, image.workdir);
  const has = (path) => existsSync(join(app, path));
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const unwanted = Object.keys(packages).filter((path) => packages[path].dev && has(join(path, 'package.json')));
  check(unwanted.length === 0, `no packages in it that only development needs (${unwanted.length}: ${unwanted})`);
  check(!has('gateway/src') && !has('gateway/test') && !has('.git') && !has('data'), 'no sources, tests or data in it');
  check(readdirSync(join(app, 'gateway/migrations')).length > 0, 'the migrations are in it');
  check(has('console/dist/index.html'), 'the console is built');
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Only with the image's variables, so that nothing of this machine's environment helps. */
async function start(image) {
  const port = await freePort();
  const dataFolder = join(scratch, 'data');
  const environment = {
    PATH: process.env.PATH,
    ...image.environment,
    HOST: '127.0.0.1',
    PORT: String(port),
    TOLLGATE_DATA_DIR: dataFolder,
    TOLLGATE_LOG_LEVEL: 'warn',
  };
  const [program, ...parameters] = image.command;
  const child = spawn(program, parameters, {
    cwd: join(image.folder, image.workdir),
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const started = { child, url: `http://127.0.0.1:${port}`, environment, dataFolder, output: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      started.output += chunk;
    });
  }
  return started;
}

async function waitUntilReady({ child, url }) {
  const deadlineMs = performance.now() + START_DEADLINE_MS;
  while (performance.now() < deadlineMs && child.exitCode === null) {
    const ready = await fetch(`${url}/readyz`).catch(() => null);
    if (ready?.ok) return true;
    await sleep(200);
  }
  return false;
}

async function use(image, started) {
  const { url, environment, dataFolder } = started;
  check(await waitUntilReady(started), 'it starts and is ready');
  const health = spawnSync('sh', ['-c', image.healthCommand], { env: environment });
  check(health.status === 0, "the image's own health check succeeds");
  const page = await fetch(`${url}/console/`);
  check(page.ok && (await page.text()).includes('<script'), 'the console is served');
  const key = readFileSync(join(dataFolder, 'demo-key'), 'utf8').trim();
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: 'Say hello.' }] }),
  });
  check(answer.status === 200, 'a call is answered');
}

async function stop({ child }) {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
  const code = await ended;
  clearTimeout(timer);
  return code;
}

async function checkImage() {
  const image = build();
  inspect(image);
  const started = await start(image);
  try {
    await use(image, started);
    check((await stop(started)) === 0, 'it stops in order when told to');
  } catch (error) {
    await stop(started);
    throw new Error(`${error.message}\n${started.output}`);
  }
}

try {
  await checkImage();
  say('The image can be built and works.');
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  if (options.keep) say(scratch);
  else rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
}
