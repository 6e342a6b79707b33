// The first start: a simulated upstream, a demo account with credit, and a key and a password that are the same at
// every start, so that what is printed always works. Nothing here runs once a config file is given.

import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import type { RunningApp } from './app.ts';
import type { Config } from './config.ts';

const DEMO_CREDIT_USD = 25;

/** The parts of a running gateway that the demonstration calls. */
type DemonstratedApp = Pick<RunningApp, 'url' | 'adminToken'>;

export type Demo = Readonly<{
  /** The values of `${…}` in the built-in catalog. */
  variables: Readonly<Record<string, string>>;
  introduce(app: DemonstratedApp): Promise<string[]>;
  close(): Promise<void>;
}>;

export async function prepareDemo(config: Config): Promise<Demo> {
  const { startSimulator } = await import('@tollgate/simulator');
  const simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
  return {
    variables: { SIMULATOR_URL: simulator.url },
    async introduce(app) {
      const { email, password, key } = await demoAccount(app, config.dataDir);
      const call = JSON.stringify({ model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: 'Say hello.' }] });
      return [
        `  sign in    ${email}  ${password}`,
        `  demo key   ${key}`,
        ...(await connectWords(app, config)),
        '  try it:',
        `curl -s ${app.url}/v1/chat/completions -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${call}'`,
      ];
    },
    close: () => simulator.close(),
  };
}

/** Says that the simulator answers, and how to connect a vendor. */
async function connectWords(app: DemonstratedApp, { variables, dataDir }: Config): Promise<string[]> {
  const headers = { authorization: `Bearer ${app.adminToken}` };
  const { body } = await request(`${app.url}/admin/v1/providers`, { headers });
  const { data } = (await body.json()) as { data: readonly Readonly<{ isSimulated: boolean; models: number }>[] };
  const simulated = data.filter(({ isSimulated }) => isSimulated).reduce((sum, { models }) => sum + models, 0);
  if (simulated === 0) return [];
  const isAll = data.every(({ isSimulated }) => isSimulated);
  // In another terminal the command line would look into the default folder.
  const place = variables.TOLLGATE_DATA_DIR === undefined ? '' : `TOLLGATE_DATA_DIR='${dataDir}' `;
  return [
    `  answers    ${isAll ? 'come from a simulator' : `of ${simulated} models come from a simulator`}; connect a provider:`,
    `             ${place}npx tollgate provider add openai`,
    '             (provider presets lists the others)',
  ];
}

type DemoAccount = Readonly<{ email: string; password: string; key: string }>;

/** The key is in a file of its own, for scripts. */
async function demoAccount(app: DemonstratedApp, dataDir: string): Promise<DemoAccount> {
  const keyFile = join(dataDir, 'demo-key');
  const loginFile = join(dataDir, 'demo-login');
  const [keptKey, keptLogin] = [await readIfThere(keyFile), await readIfThere(loginFile)];
  const [email = '', password = ''] = keptLogin?.split('\n') ?? [];
  if (keptKey !== null && password !== '' && (await isAccepted(app, keptKey))) return { email, password, key: keptKey };
  const account = await createDemoAccount(app);
  await writePrivately(keyFile, account.key);
  await writePrivately(loginFile, `${account.email}\n${account.password}`);
  return account;
}

async function createDemoAccount(app: DemonstratedApp): Promise<DemoAccount> {
  const email = `demo-${randomUUID().slice(0, 8)}@tollgate.local`;
  const password = randomBytes(12).toString('base64url');
  const user = await operate(app, '/admin/v1/users', { email, name: 'Demo', password });
  await operate(app, `/admin/v1/users/${user.id}/credits`, { amountUsd: DEMO_CREDIT_USD, note: 'Demo credit' });
  const key = await operate(app, `/admin/v1/users/${user.id}/keys`, { name: 'Demo key', keyType: 'standard' });
  return { email, password, key: String(key.key) };
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function writePrivately(file: string, text: string): Promise<void> {
  await writeFile(file, `${text}\n`, { mode: 0o600 });
  // The mode above applies only to a new file.
  await chmod(file, 0o600);
}

/** The stored key may belong to another database than the current one. */
async function isAccepted(app: DemonstratedApp, key: string): Promise<boolean> {
  const { statusCode, body } = await request(`${app.url}/v1/auth/key`, { headers: { Authorization: `Bearer ${key}` } });
  await body.dump();
  return statusCode === 200;
}

/** Through the public API, as an operator would, so that the demo also checks it. */
async function operate(app: DemonstratedApp, path: string, body: object): Promise<Record<string, unknown>> {
  const response = await request(app.url + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${app.adminToken}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.body.json()) as Record<string, unknown>;
  if (response.statusCode >= 300) throw new Error(`The demo account could not be made: ${JSON.stringify(answer)}`);
  return answer;
}
