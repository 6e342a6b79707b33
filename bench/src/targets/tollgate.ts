// Tollgate itself, used from outside like an operator would: a config file, accounts and keys through the operator API,
// the embedded database. Billing is on and every call is charged.

import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { embeddedUrl } from '../../../gateway/src/platform/db/embedded/embedded-url.ts';
import { findPostmaster as findServer } from '../../../gateway/src/platform/db/embedded/postmaster.ts';
import { NODE_FLAGS } from '../../../gateway/src/serve/v8-flags.ts';
import { processTree } from '../measure/process-usage.ts';
import { freePort, moveTo, startProcess, temporaryFolder, waitForAnswer } from '../processes.ts';
import {
  type Absent,
  bearer,
  chatBody,
  MODES,
  PICTURE_MODE,
  pictureForm,
  type RequestShape,
  type Target,
  VIDEO_MODE,
} from './target.ts';

const PROGRAM = fileURLToPath(new URL('../../../gateway/dist/tollgate.js', import.meta.url));
/** The largest that a config file allows; several accounts together stay far below it. */
const REQUESTS_PER_MINUTE = 1_000_000;
const ACCOUNTS = 8;
const CREDIT_USD = 100_000;

export type TollgateOptions = Readonly<{
  upstreamPort: number;
  nodeParameters?: readonly string[];
  /** Several processes on services that were started before, instead of one with its own database. */
  group?: Readonly<{ workers: number; databaseUrl: string; redisUrl: string | null }>;
}>;

export async function startTollgate(options: TollgateOptions): Promise<Target | Absent> {
  if (!existsSync(PROGRAM)) return { absent: `${PROGRAM} is missing; run npm run build` };
  const folder = await temporaryFolder('gateway');
  const configFile = join(folder, 'config.json');
  await writeFile(configFile, JSON.stringify(configuration(options.upstreamPort)));
  const port = await freePort();
  const operatorToken = randomBytes(24).toString('hex');
  const dataFolder = join(folder, 'data');
  const { group } = options;
  const started = startProcess({
    name: 'tollgate',
    place: group === undefined ? 'proxy' : 'all',
    command: process.execPath,
    parameters: [...NODE_FLAGS, ...(options.nodeParameters ?? []), PROGRAM],
    environment: {
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      TOLLGATE_DATA_DIR: dataFolder,
      TOLLGATE_CONFIG: configFile,
      TOLLGATE_ADMIN_TOKEN: operatorToken,
      TOLLGATE_SSRF_ALLOW: '127.0.0.0/8',
      TOLLGATE_LOG_LEVEL: 'warn',
      ...(group === undefined ? {} : groupEnvironment(group)),
    },
    leftover: () => findPostmaster(dataFolder),
  });
  const origin = `http://127.0.0.1:${port}`;
  await waitForAnswer(`${origin}/readyz`, started);
  const postmaster = findPostmaster(dataFolder);
  const databasePids = (): readonly number[] => (postmaster === null ? [] : processTree(postmaster));
  moveTo('rest', databasePids());
  const databaseUrl = group === undefined ? await embeddedDatabase(dataFolder) : null;
  const keys: string[] = [];
  for (let index = 0; index < ACCOUNTS; index += 1) keys.push(await createKey(origin, operatorToken, index));
  return {
    name: 'tollgate',
    title: 'Tollgate',
    port,
    requests: (mode, contentBytes) =>
      keys.map((key) => ({
        path: '/v1/chat/completions',
        headers: bearer(key),
        body: chatBody(`bench/${mode}`, mode, contentBytes),
      })),
    uploads: (fileBytes) =>
      keys.map((key) => ({
        path: '/v1/images/edits',
        headers: bearer(key),
        ...pictureForm(`bench/${PICTURE_MODE}`, fileBytes),
      })),
    download: () => orderVideo(origin, keys[0] ?? ''),
    pids: () => (group === undefined ? [started.pid] : processTree(started.pid)),
    databasePids,
    ...(databaseUrl === null ? {} : { databaseUrl }),
    metrics: async () => (await fetch(`${origin}/metrics`, { headers: bearer(operatorToken) })).text(),
    stop: started.stop,
  };
}

function groupEnvironment(group: NonNullable<TollgateOptions['group']>): Record<string, string> {
  return {
    DATABASE_URL: group.databaseUrl,
    ...(group.redisUrl === null ? {} : { REDIS_URL: group.redisUrl }),
    TOLLGATE_SECRET: randomBytes(24).toString('hex'),
    TOLLGATE_WORKERS: String(group.workers),
  };
}

/** One provider for each mode, because the mode is part of the upstream's address. */
function configuration(upstreamPort: number): unknown {
  const providers = [...MODES, PICTURE_MODE, VIDEO_MODE].map((mode) => [
    mode,
    { protocol: 'openai', base_url: `http://127.0.0.1:${upstreamPort}/${mode}/v1`, api_key: 'bench' },
  ]);
  const models = MODES.map((mode) => [
    `bench/${mode}`,
    {
      name: mode,
      // Room for the largest allowed body.
      context_length: 20_000_000,
      max_completion_tokens: 16_384,
      input_modalities: ['text'],
      output_modalities: ['text'],
      supported_parameters: ['temperature', 'max_tokens'],
      pricing: { prompt: '0.15', completion: '0.60' },
      routes: [{ provider: mode, upstream_model: 'bench' }],
    },
  ]);
  return {
    providers: Object.fromEntries(providers),
    models: {
      ...Object.fromEntries(models),
      [`bench/${PICTURE_MODE}`]: {
        input_modalities: ['text', 'image'],
        output_modalities: ['image'],
        pricing: { image: '0.01' },
        routes: [{ provider: PICTURE_MODE, upstream_model: 'bench' }],
      },
      [`bench/${VIDEO_MODE}`]: {
        output_modalities: ['video'],
        pricing: { video_second: '0.01' },
        routes: [{ provider: VIDEO_MODE, upstream_model: 'bench' }],
      },
    },
    limits: { free_requests_per_minute: REQUESTS_PER_MINUTE, paid_requests_per_minute: REQUESTS_PER_MINUTE },
  };
}

/** The upstream is asked about a job at the earliest eight seconds after its order. */
const VIDEO_DEADLINE_MS = 30_000;

async function orderVideo(origin: string, key: string): Promise<Pick<RequestShape, 'path' | 'headers'>> {
  const headers = { ...bearer(key), 'content-type': 'application/json' };
  const body = JSON.stringify({ model: `bench/${VIDEO_MODE}`, prompt: 'bench' });
  const ordered = (await (await fetch(`${origin}/v1/videos`, { method: 'POST', headers, body })).json()) as VideoJob;
  const deadlineMs = Date.now() + VIDEO_DEADLINE_MS;
  while (Date.now() < deadlineMs) {
    const job = (await (await fetch(`${origin}/v1/videos/${ordered.id}`, { headers })).json()) as VideoJob;
    if (job.status === 'completed') return { path: `/v1/videos/${ordered.id}/content`, headers: bearer(key) };
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error('the video was not finished');
}

type VideoJob = Readonly<{ id?: string; status?: string }>;

async function createKey(origin: string, operatorToken: string, index: number): Promise<string> {
  const operate = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const response = await fetch(`${origin}/admin/v1${path}`, {
      method: 'POST',
      headers: { ...bearer(operatorToken), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`POST /admin/v1${path} gave ${response.status}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  const user = await operate('/users', { email: `bench-${index}@example.com`, name: `Bench ${index}` });
  await operate(`/users/${user.id}/credits`, { amountUsd: CREDIT_USD, note: 'Benchmark' });
  const key = await operate(`/users/${user.id}/keys`, { name: 'Benchmark', keyType: 'standard' });
  return String(key.key);
}

/** Where the embedded server listens; null when there is none. */
async function embeddedDatabase(dataFolder: string): Promise<string | null> {
  const cluster = findCluster(dataFolder);
  const server = cluster === null ? null : await findServer(cluster);
  return server === null ? null : embeddedUrl(server.socketFolder, 'postgres');
}

/** The embedded server writes its process id to a file, and removes the file when it ends. */
function findPostmaster(dataFolder: string): number | null {
  const cluster = findCluster(dataFolder);
  return cluster === null ? null : Number.parseInt(readFileSync(join(cluster, PID_FILE), 'utf8'), 10);
}

const PID_FILE = 'postmaster.pid';

function findCluster(dataFolder: string): string | null {
  if (!existsSync(dataFolder)) return null;
  const entries = readdirSync(dataFolder, { recursive: true, withFileTypes: true });
  return entries.find(({ name }) => name === PID_FILE)?.parentPath ?? null;
}
