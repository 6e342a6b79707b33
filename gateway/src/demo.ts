// The first start: a simulated upstream, a demo account with credit, and a key that is the same at every start, so
// that the printed curl line always works. Nothing here runs once a config file is given.

import { randomUUID } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startSimulator } from '@tollgate/simulator';
import type { RunningApp } from './app.ts';
import type { Config } from './config.ts';

const DEMO_CREDIT_USD = 25;

export type Demo = Readonly<{
  /** What the built-in catalog's `${…}` refer to. */
  variables: Readonly<Record<string, string>>;
  introduce(app: RunningApp): Promise<string[]>;
  close(): Promise<void>;
}>;

export async function prepareDemo(config: Config): Promise<Demo> {
  const simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
  return {
    variables: { SIMULATOR_URL: simulator.url },
    async introduce(app) {
      const key = await demoKey(app, join(config.dataDir, 'demo-key'));
      const call = JSON.stringify({ model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: 'Say hello.' }] });
      return [
        `  demo key   ${key}`,
        '  try it:',
        `curl -s ${app.url}/v1/chat/completions -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${call}'`,
      ];
    },
    close: () => simulator.close(),
  };
}

async function demoKey(app: RunningApp, file: string): Promise<string> {
  const known = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (known !== null && (await isAccepted(app, known.trim()))) return known.trim();
  const email = `demo-${randomUUID().slice(0, 8)}@tollgate.local`;
  const user = await operate(app, '/admin/v1/users', { email, name: 'Demo' });
  await operate(app, `/admin/v1/users/${user.id}/credits`, { amountUsd: DEMO_CREDIT_USD, note: 'Demo credit' });
  const key = await operate(app, `/admin/v1/users/${user.id}/keys`, { name: 'Demo key', keyType: 'standard' });
  const secret = String(key.key);
  await writeFile(file, `${secret}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
  return secret;
}

/** The kept key may belong to another database than the one in use now. */
async function isAccepted(app: RunningApp, key: string): Promise<boolean> {
  const response = await fetch(`${app.url}/v1/auth/key`, { headers: { Authorization: `Bearer ${key}` } });
  await response.body?.cancel();
  return response.ok;
}

/** Through the front door, as an operator would, so that the demo is also a check of it. */
async function operate(app: RunningApp, path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(app.url + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${app.adminToken}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`The demo account could not be made: ${JSON.stringify(answer)}`);
  return answer;
}
