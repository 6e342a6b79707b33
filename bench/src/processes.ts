// Every process that the benchmark starts, pinned to its cores; none of them outlives the run. The measured process has
// a core to itself; everything else shares the others, so that it cannot take its time.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** `all` is for targets with several processes. */
export type Place = 'proxy' | 'rest' | 'all';

export type Placement = Readonly<Record<Place, string>>;

export type StartOptions = Readonly<{
  name: string;
  place: Place;
  command: string;
  parameters: readonly string[];
  environment?: Readonly<Record<string, string>>;
  /** The process that it may leave behind when it does not end normally; null when there is none. */
  leftover?: () => number | null;
}>;

export type StartedProcess = Readonly<{
  name: string;
  pid: number;
  child: ChildProcess;
  /** The end of its output, for the message when it fails. */
  output(): string;
  stop(): Promise<void>;
}>;

const OUTPUT_CHARACTERS_MAX = 4_000;
const STOP_GRACE_MS = 20_000;
const LEFTOVER_GRACE_MS = 5_000;
const READY_TIMEOUT_MS = 30_000;
/** Variables that would make the measured gateway use something else than the benchmark gives it. */
const FOREIGN_VARIABLES = /^(TOLLGATE_|DATABASE_URL$|REDIS_URL$|SMTP_URL$|PORT$|HOST$|NODE_OPTIONS$|npm_)/;

const running = new Set<StartedProcess>();
const folders = new Set<string>();
let isStopping = false;

export const placement: Placement | null = choosePlacement();

/** The first available core for the proxy, the others for the rest; null where that is not possible. */
function choosePlacement(): Placement | null {
  try {
    const allowed = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
    const cores = allowed.split(',').flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
    if (cores.length < 2) return null;
    const chosen = { proxy: String(cores[0]), rest: cores.slice(1).join(','), all: cores.join(',') };
    execFileSync('taskset', ['-c', chosen.rest, 'true'], { stdio: 'ignore' });
    return chosen;
  } catch {
    return null;
  }
}

/** Moves processes that something else started, such as the gateway's database. */
export function moveTo(place: Place, pids: readonly number[]): void {
  if (placement === null) return;
  for (const pid of pids) {
    execFileSync('taskset', ['-a', '-p', '-c', placement[place], String(pid)], { stdio: 'ignore' });
  }
}

export function startProcess(options: StartOptions, hasChannel = false): StartedProcess {
  if (isStopping) throw new Error('the benchmark is stopping');
  const [command = options.command, ...parameters] = [
    ...(placement === null ? [] : ['taskset', '-c', placement[options.place]]),
    options.command,
    ...options.parameters,
  ];
  const child = spawn(command, parameters, {
    env: { ...ownEnvironment(), ...options.environment },
    // In a group of its own: Ctrl-C reaches only the benchmark, which then stops everything once and in order.
    detached: true,
    stdio: hasChannel ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const keep = (text: string): void => {
    output = (output + text).slice(-OUTPUT_CHARACTERS_MAX);
  };
  child.stdout?.setEncoding('utf8').on('data', keep);
  child.stderr?.setEncoding('utf8').on('data', keep);
  child.on('error', (error) => keep(error.message));
  let stopped: Promise<void> | null = null;
  const started: StartedProcess = {
    name: options.name,
    pid: child.pid ?? -1,
    child,
    output: () => output,
    stop() {
      // Once: programs exit at once on a second signal.
      stopped ??= stopProcess(started).then(() => stopLeftover(options.leftover?.() ?? null));
      return stopped;
    },
  };
  running.add(started);
  return started;
}

/** Starts one of our own programs and waits for its message that it is ready. */
export async function startProgram<Ready>(
  file: URL,
  options: Readonly<{ name: string; place: Place; parameters?: readonly string[] }>,
): Promise<StartedProcess & { ready: Ready }> {
  const parameters = ['--import', import.meta.resolve('tsx'), fileURLToPath(file), ...(options.parameters ?? [])];
  const started = startProcess({ ...options, command: process.execPath, parameters }, true);
  const ready = await new Promise<Ready>((resolve, reject) => {
    const deadline = setTimeout(() => reject(new Error(`${options.name} did not start in time`)), READY_TIMEOUT_MS);
    started.child.once('message', (message) => {
      clearTimeout(deadline);
      resolve(message as Ready);
    });
    started.child.once('exit', () => {
      clearTimeout(deadline);
      reject(new Error(`${options.name} ended at start: ${started.output()}`));
    });
  });
  return { ...started, ready };
}

/** Asks until the answer is a success, for programs that cannot report that they are ready. */
export async function waitForAnswer(url: string, started: StartedProcess): Promise<void> {
  const deadlineMs = performance.now() + READY_TIMEOUT_MS;
  for (;;) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
      await response.arrayBuffer();
      if (response.ok) return;
    } catch {
      // Not listening yet.
    }
    if (!isRunning(started)) throw new Error(`${started.name} ended at start: ${started.output()}`);
    if (performance.now() > deadlineMs) throw new Error(`${started.name} is not ready: ${started.output()}`);
    await sleep(50);
  }
}

export async function temporaryFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `tollgate-bench-${name}-`));
  folders.add(folder);
  return folder;
}

/** For programs that cannot choose a free port and report it. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (typeof address === 'object' && address !== null ? resolve(address.port) : reject(address)));
    });
  });
}

export async function stopEverything(): Promise<void> {
  isStopping = true;
  await Promise.allSettled([...running].map((started) => started.stop()));
  await Promise.allSettled([...folders].map((folder) => rm(folder, { recursive: true, force: true })));
  folders.clear();
}

/** Runs a program: everything that it started ends with it, also when it is interrupted. */
export async function runProgram(program: () => Promise<void>): Promise<never> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => stopEverything().finally(() => process.exit(130)));
  }
  try {
    await program();
  } finally {
    await stopEverything();
  }
  process.exit();
}

const isRunning = ({ child }: StartedProcess): boolean => child.exitCode === null && child.signalCode === null;

function stopProcess(started: StartedProcess): Promise<void> {
  const { child } = started;
  if (!isRunning(started) || child.pid === undefined) return Promise.resolve();
  return new Promise((resolve) => {
    const deadline = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
    child.once('exit', () => {
      clearTimeout(deadline);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

/** A database is told to end without waiting for its connections. */
async function stopLeftover(pid: number | null): Promise<void> {
  if (pid === null) return;
  const deadlineMs = performance.now() + LEFTOVER_GRACE_MS;
  try {
    process.kill(pid, 'SIGINT');
    while (performance.now() < deadlineMs) {
      await sleep(50);
      process.kill(pid, 0);
    }
  } catch {
    // It has ended.
  }
}

function ownEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => !FOREIGN_VARIABLES.test(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, value ?? '']));
}
