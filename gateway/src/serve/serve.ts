// The program behind main.ts and `tollgate serve`: one gateway in this process, or several workers behind this one; the
// text at the start, and an orderly end.

import cluster from 'node:cluster';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningApp, startApp } from '../app.ts';
import { type Config, ConfigError, type Environment } from '../config.ts';
import { type Demo, prepareDemo } from '../demo.ts';
import { EmbeddedDatabaseError } from '../platform/db/embedded/embedded-database-error.ts';
import { MigrationError } from '../platform/db/migrate.ts';
import { NoServerError } from '../platform/db/servers.ts';
import { asError } from '../platform/logger.ts';
import { type FromWorker, openPrimary, type Serving, type ToWorker, WorkerEndedError } from './primary.ts';
import { type Output, plainOutput, terminalOutput } from './terminal-output.ts';
import { keepFreedMemory, setOwnFlags } from './v8-flags.ts';

const DRAIN_DEADLINE_MS = 60_000;
/** Where the simulator listens, for the built-in catalog. */
const SIMULATOR_VARIABLE = 'SIMULATOR_URL';

/** A terminal gets readable lines; programs get JSON, and so does a person who asks for it. */
function openOutput(level: string, environment: Environment): Output {
  const write = (text: string): void => void process.stdout.write(text);
  if (!process.stdout.isTTY || process.argv.includes('--json')) return plainOutput(level, write);
  const hasColors = (environment.NO_COLOR ?? '') === '' && environment.TERM !== 'dumb';
  return terminalOutput({ level, hasColors, draws: cluster.isPrimary && environment.TERM !== 'dumb' }, write);
}

const nodeOptionsOf = ({ variables }: Config): string => variables.NODE_OPTIONS ?? '';

/** Runs until it is told to stop, and then ends the process. */
export async function serve(config: Config): Promise<void> {
  setOwnFlags(nodeOptionsOf(config));
  keepFreedMemory();
  const output = openOutput(config.logLevel, config.variables);
  try {
    if (cluster.isWorker) await serveAsWorker(config, output);
    else if (config.workers > 1) await serveWithWorkers(config, output);
    else await serveAlone(config, output);
  } catch (error) {
    output.draw('');
    fail(error);
  }
}

async function serveAlone(config: Config, output: Output): Promise<void> {
  output.draw(config.databaseUrl === null ? 'Starting the database' : 'Connecting to the database');
  const demo = config.configFile === null ? await prepareDemo(config) : null;
  // A script that waits until it is ready finds the demonstration's key.
  let isStarting = demo !== null;
  const start = { variables: demo?.variables ?? {}, logger: output.logger, isStarting: () => isStarting };
  const app = await startApp(config, start);
  // It serves already: a signal while the introduction is printed leads to an orderly end too.
  const stop = stopOnSignal(output, async () => {
    await app.close(DRAIN_DEADLINE_MS);
    await demo?.close();
  });
  try {
    await keepAddress(config, app.url, output);
    await introduce(output, app, demo, `Tollgate is serving on ${app.url}`);
    isStarting = false;
  } catch (error) {
    if (!stop.isStopping()) throw error;
  }
}

async function serveWithWorkers(config: Config, output: Output): Promise<void> {
  const demo = config.configFile === null ? await prepareDemo(config) : null;
  const report = (line: string): void => void process.stderr.write(`${line}\n`);
  const primary = openPrimary({ environment: demo?.variables ?? {}, nodeOptions: nodeOptionsOf(config), report });
  const stop = stopOnSignal(output, async () => {
    await primary.stop();
    await demo?.close();
  });
  if (config.redisUrl === null) report('Without REDIS_URL each worker counts rates and free quotas by itself.');
  try {
    const serving = await primary.start(config.workers);
    await keepAddress(config, serving.url, output);
    await introduce(output, serving, demo, `Tollgate is serving on ${serving.url} with ${config.workers} workers`);
    primary.introduced();
  } catch (error) {
    if (stop.isStopping()) return;
    await primary.stop();
    throw error;
  }
}

/** The first process prints for its workers; they print nothing. */
async function serveAsWorker(config: Config, { logger }: Output): Promise<void> {
  const link = openWorkerLink();
  const simulatorUrl = config.variables[SIMULATOR_VARIABLE];
  const variables: Record<string, string> =
    config.configFile !== null || simulatorUrl === undefined ? {} : { [SIMULATOR_VARIABLE]: simulatorUrl };
  // The first process makes the demonstration's account, through its workers.
  let isStarting = config.configFile === null;
  link.onIntroduced(() => {
    isStarting = false;
  });
  const start = { variables, logger, collectMetrics: link.collector, isStarting: () => isStarting };
  const app = await startApp(config, start);
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) return;
    isStopping = true;
    app.close(DRAIN_DEADLINE_MS).then(() => process.exit(0), fail);
  };
  // Ctrl-C in a terminal reaches the workers and the first process alike; the first process then stops the workers.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', stop);
  link.onStop(stop);
  const { url, siteUrl, adminToken, newAdminToken, configDifference } = app;
  link.serving({ url, siteUrl, adminToken, newAdminToken, configDifference });
}

/** The command line on this machine finds the gateway by it, on whichever port it serves. */
async function keepAddress({ dataDir }: Config, url: string, { logger }: Output): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await writeFile(join(dataDir, 'address'), `${url}\n`);
  } catch (error) {
    // A disk that is full is no reason not to serve.
    logger.warn({ error: asError(error) }, 'the address for the command line could not be written');
  }
}

async function introduce(
  output: Output,
  app: Omit<RunningApp, 'close'>,
  demo: Demo | null,
  headline: string,
): Promise<void> {
  const lines = [
    headline,
    `  console    ${app.siteUrl}/`,
    `             ${app.siteUrl}/console/operator for the operator`,
  ];
  if (app.newAdminToken !== null) lines.push(`  operator   Authorization: Bearer ${app.newAdminToken}`);
  // The built-in catalog is the same for everybody, so only the changes of an operator's own file are printed.
  if (demo === null) for (const line of app.configDifference) lines.push(`  config     ${line}`);
  if (demo !== null) lines.push(...(await demo.introduce(app)));
  output.print(lines.join('\n'));
}

/** A second signal ends the process at once. */
function stopOnSignal(output: Output, stop: () => Promise<void>): Readonly<{ isStopping(): boolean }> {
  let isStopping = false;
  const onSignal = (signal: string): void => {
    if (isStopping) process.exit(1);
    isStopping = true;
    output.print(`${signal}: finishing what is running, then stopping.`);
    stop().then(() => process.exit(0), fail);
  };
  process.on('SIGTERM', () => onSignal('SIGTERM'));
  process.on('SIGINT', () => onSignal('SIGINT'));
  return { isStopping: () => isStopping };
}

const LISTENING: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program does already. End it, or say PORT=… for another port.',
  EACCES: 'the system does not allow it. Say PORT=… for a port above 1023.',
  EADDRNOTAVAIL: 'this machine has no such address. Say HOST=… for one that it has.',
  ENOTFOUND: 'this name has no address. Say HOST=… for an address of this machine.',
  EAI_AGAIN: 'the address of this name cannot be looked up. Say HOST=… for an address of this machine.',
};

/** What HOST stands for is looked up as it is listened on. A name in another setting fails with that setting's error. */
type ListeningError = Error & Readonly<{ code: string; hostname?: string; address?: string; port?: number }>;

function isListening(error: unknown): error is ListeningError {
  if (!(error instanceof Error) || !('syscall' in error)) return false;
  if (error.syscall !== 'listen' && error.syscall !== 'getaddrinfo') return false;
  return 'code' in error && typeof error.code === 'string' && Object.hasOwn(LISTENING, error.code);
}

export function fail(error: unknown): never {
  process.stderr.write(`${wordsOf(error)}\n`);
  process.exit(1);
}

function wordsOf(error: unknown): string {
  if (isListening(error)) {
    const place = error.hostname ?? `${error.address}:${error.port}`;
    return `${place} cannot be listened on (${error.code}): ${LISTENING[error.code]}`;
  }
  if (error instanceof WorkerEndedError) return `Nothing was started: ${error.message}.`;
  const isPlain = [ConfigError, NoServerError, MigrationError, EmbeddedDatabaseError].some(
    (kind) => error instanceof kind,
  );
  if (isPlain) return (error as Error).message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

// A worker's side of the messages with the first process: it reports when it serves, sends its metrics, and is told to
// stop.

const COLLECT_DEADLINE_MS = 2_000;

type WorkerLink = Readonly<{
  serving(serving: Serving): void;
  onStop(handler: () => void): void;
  onIntroduced(handler: () => void): void;
  /** Given this worker's metrics, returns how to read those of all; only its own when the others do not answer. */
  collector(own: () => Promise<string>): () => Promise<string>;
}>;

const send = (message: FromWorker): void => void process.send?.(message);

function openWorkerLink(): WorkerLink {
  const waiting = new Map<number, (text: string) => void>();
  let lastId = 0;
  let stop = (): void => {};
  let introduced = (): void => {};
  let render: (() => Promise<string>) | null = null;

  process.on('message', (message: ToWorker) => {
    switch (message.kind) {
      case 'stop':
        stop();
        break;
      case 'introduced':
        introduced();
        break;
      case 'render':
        void Promise.resolve(render?.() ?? '').then((text) => send({ kind: 'rendered', id: message.id, text }));
        break;
      case 'collected':
        waiting.get(message.id)?.(message.text);
        waiting.delete(message.id);
        break;
    }
  });

  const collect = (own: () => Promise<string>): Promise<string> => {
    lastId += 1;
    const id = lastId;
    send({ kind: 'collect', id });
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(id);
        own().then(resolve, reject);
      }, COLLECT_DEADLINE_MS);
      waiting.set(id, (text) => {
        clearTimeout(timer);
        resolve(text);
      });
    });
  };

  return {
    serving: (serving) => send({ kind: 'serving', serving }),
    onStop: (handler) => {
      stop = handler;
    },
    onIntroduced: (handler) => {
      introduced = handler;
    },
    collector(own) {
      render = own;
      return () => collect(own);
    },
  };
}
