// Secrets that a config file refers to are read from files, from Vault and from Secrets Manager, used for calls, read
// again after a change there, and never shown.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../../src/app.ts';
import { ConfigError, readConfig } from '../../src/config.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { freshDatabase } from '../database.ts';
import { ADMIN_TOKEN, type Harness, type Json, startHarness } from '../harness.ts';

const FIRST = 'canary-first-secret-4711';
const SECOND = 'canary-second-secret-4712';
const THIRD = 'canary-third-secret-4713';

/** Rounds of jobs come when a test says so. */
class SteppedClock implements Clock {
  readonly #runs = new Set<readonly [number, () => void]>();
  readonly nowMs = systemClock.nowMs;
  readonly monotonicMs = systemClock.monotonicMs;
  readonly sleep = systemClock.sleep;
  readonly every = (intervalMs: number, run: () => void): (() => void) => {
    const entry = [intervalMs, run] as const;
    this.#runs.add(entry);
    const stop = systemClock.every(intervalMs, run);
    return () => {
      this.#runs.delete(entry);
      stop();
    };
  };
  minute(): void {
    for (const [intervalMs, run] of this.#runs) if (intervalMs === 60_000) run();
  }
}

const clock = new SteppedClock();
const asked: { url: string; headers: IncomingMessage['headers']; body: string }[] = [];
let kept = FIRST;
let isAway = false;
let keeper: Server;
let address: string;
let folder: string;
let harness: Harness;
const logged: string[] = [];

/** Answers as the two services document it, for one secret each. */
async function startKeeper(): Promise<void> {
  keeper = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    asked.push({ url: request.url ?? '', headers: request.headers, body });
    if (isAway) {
      response.writeHead(503).end(`{"errors":["sealed, ${kept}"]}`);
      return;
    }
    const isVault = request.headers['x-vault-token'] === 'vault-token' && request.url === '/v1/secret/data/llm/sim';
    const isManager = request.url === '/' && body === '{"SecretId":"prod/sim"}';
    if (isVault) response.end(JSON.stringify({ data: { data: { api_key: kept }, metadata: { version: 1 } } }));
    else if (isManager) response.end(JSON.stringify({ Name: 'prod/sim', SecretString: '{"key":"from-the-manager"}' }));
    else response.writeHead(403).end('{"errors":["permission denied"]}');
  });
  await new Promise<void>((resolve) => keeper.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(keeper.address() as AddressInfo).port}`;
}

const environment = (): Record<string, string> => ({
  VAULT_ADDR: `${address}/`,
  VAULT_TOKEN: 'vault-token',
  VAULT_NAMESPACE: 'team',
  AWS_REGION: 'eu-1',
  AWS_ACCESS_KEY_ID: 'AKID',
  AWS_SECRET_ACCESS_KEY: 'aws-secret',
  AWS_ENDPOINT_URL_SECRETS_MANAGER: address,
});

const reference = (place: string): string => ['$', `{${place}}`].join('');

beforeAll(async () => {
  await startKeeper();
  folder = await mkdtemp(join(tmpdir(), 'tollgate-secrets-'));
  await writeFile(join(folder, 'key'), 'from-a-file\n');
  for (const twin of ['twin', 'other-twin']) await writeFile(join(folder, twin), 'one-value');
  const log = (level: string) => (fields: object, message: string) =>
    void logged.push(JSON.stringify([level, fields, message, (fields as { error?: Error }).error?.message]));
  harness = await startHarness({
    env: environment(),
    moreProviders: {
      first: { api_key: reference('vault:secret/llm/sim#api_key') },
      second: { api_key: reference(`file:${join(folder, 'key')}`) },
      third: { api_key: reference('aws-sm:prod/sim#key') },
      twin: { api_key: reference(`file:${join(folder, 'twin')}`) },
      'other-twin': { api_key: reference(`file:${join(folder, 'other-twin')}`) },
    },
    models: {
      'openai/first': { routes: [{ provider: 'first', upstream_model: 'sim-tokens-1-1' }] },
      'openai/second': { routes: [{ provider: 'second', upstream_model: 'sim-tokens-1-1' }] },
      'openai/third': { routes: [{ provider: 'third', upstream_model: 'sim-tokens-1-1' }] },
      'openai/twin': { routes: [{ provider: 'twin', upstream_model: 'sim-tokens-1-1' }] },
      'openai/other-twin': { routes: [{ provider: 'other-twin', upstream_model: 'sim-tokens-1-1' }] },
    },
    start: {
      clock,
      logger: {
        ...Object.fromEntries(['debug', 'info', 'warn', 'error', 'fatal'].map((one) => [one, log(one)])),
      } as never,
    },
  });
});
afterAll(async () => {
  await harness.close();
  keeper.close();
  await rm(folder, { recursive: true });
});

async function keySentFor(model: string): Promise<string> {
  const { key } = await harness.account();
  await harness.chat(key, { model, messages: [{ role: 'user', content: 'hi' }] });
  return String(harness.simulator.requests.at(-1)!.headers.authorization);
}

async function withKey(provider: string, key: string): Promise<Json> {
  const live = (await harness.operate('GET', '/admin/v1/config')) as { providers: Record<string, Json> };
  return { ...live, providers: { ...live.providers, [provider]: { ...live.providers[provider], api_key: key } } };
}

const put = (body: Json) => harness.request('PUT', '/admin/v1/config', { key: ADMIN_TOKEN, body });

test('each provider is called with the key from where it is kept', async () => {
  expect(await keySentFor('openai/first')).toBe(`Bearer ${FIRST}`);
  expect(await keySentFor('openai/second')).toBe('Bearer from-a-file');
  expect(await keySentFor('openai/third')).toBe('Bearer from-the-manager');
  const vault = asked.find(({ url }) => url.startsWith('/v1/'))!;
  expect(vault.headers).toMatchObject({ 'x-vault-token': 'vault-token', 'x-vault-namespace': 'team' });
  const manager = asked.find(({ url }) => url === '/')!;
  expect(manager.headers).toMatchObject({
    'x-amz-target': 'secretsmanager.GetSecretValue',
    'content-type': 'application/x-amz-json-1.1',
    authorization: expect.stringMatching(
      /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-1\/secretsmanager\/aws4_request/,
    ),
  });
});

test('a secret that is changed is used soon, an edit of the operator stays, and a source that is away changes nothing', async () => {
  const edited = await withKey('second', 'set-by-hand');
  expect((await put(edited)).status).toBe(200);
  isAway = true;
  clock.minute();
  await expect.poll(() => logged.join('\n')).toContain('secrets could not be read again');
  expect(await keySentFor('openai/first')).toBe(`Bearer ${FIRST}`);
  isAway = false;
  kept = SECOND;
  const askedBefore = asked.length;
  clock.minute();
  await expect.poll(() => asked.length).toBeGreaterThan(askedBefore);
  await expect.poll(() => keySentFor('openai/first')).toBe(`Bearer ${SECOND}`);
  expect(await keySentFor('openai/second')).toBe('Bearer set-by-hand');
});

test('of two secrets that had one value, only the changed one is replaced', async () => {
  await writeFile(join(folder, 'twin'), 'of-one-value');
  clock.minute();
  await expect.poll(() => keySentFor('openai/twin')).toBe('Bearer of-one-value');
  expect(await keySentFor('openai/other-twin')).toBe('Bearer one-value');
});

test('a secret that is empty for a while changes nothing, and the next one is used', async () => {
  const before = await keySentFor('openai/first');
  kept = '';
  clock.minute();
  await expect.poll(() => logged.join('\n')).toContain('it is empty');
  expect(await keySentFor('openai/first')).toBe(before);
  kept = THIRD;
  clock.minute();
  await expect.poll(() => keySentFor('openai/first')).toBe(`Bearer ${THIRD}`);
});

test('no secret is in the log, in the document that is shown, or in a message', async () => {
  const shown = JSON.stringify(await harness.operate('GET', '/admin/v1/config'));
  for (const secret of [FIRST, SECOND, THIRD, 'vault-token', 'from-a-file', 'from-the-manager', 'aws-secret']) {
    expect(shown).not.toContain(secret);
    expect(logged.join('\n')).not.toContain(secret);
  }
});

test('a reference that cannot be read stops the start and says why, and one sent by the interface is never read', async () => {
  const database = await freshDatabase();
  const file = join(folder, 'config.yaml');
  const lines = ['vault:secret/other#api_key', 'vault:../x#y', 'file:/nowhere/at/all', 'vault:secret/llm/sim#none'];
  const providers = lines.map(
    (reference, index) => `  p${index}: { protocol: openai, base_url: https://x.example, api_key: \${${reference}} }`,
  );
  await writeFile(file, `providers:\n${providers.join('\n')}\n`);
  const config = readConfig({
    ...{ PORT: '0', DATABASE_URL: database.url, TOLLGATE_SECRET: 'test-secret-test-secret-test-secret' },
    ...{ TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN, TOLLGATE_DATA_DIR: folder, TOLLGATE_CONFIG: file },
    ...{ TOLLGATE_LOG_LEVEL: 'silent', ...environment() },
  });
  const error = await startApp(config).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigError);
  const { problems } = error as ConfigError;
  expect(problems).toHaveLength(lines.length);
  expect(problems.join('\n')).toContain('vault:secret/other#api_key cannot be read: status 403');
  expect(problems.join('\n')).toContain('file:/nowhere/at/all cannot be read: ENOENT');
  await database.drop();

  const answer = await put(await withKey('second', reference(`file:${join(folder, 'key')}`)));
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('config files only');
});
