// The first start without a config file, as a script runs it: it waits until the gateway is ready, and then uses the
// key of the demonstration.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { childrenOf, GatewayProcess } from '../behaviour/gateway-process.ts';
import { freshDatabase } from '../database.ts';

test('a gateway that is ready has written the key of the demonstration, and serves it', async () => {
  await startAndCall({});
});

test('so it is with several workers, and those that take the place of others are ready too', async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const workers = { TOLLGATE_WORKERS: '2', DATABASE_URL: database.url };
  const gateway = await startAndCall({ ...workers, TOLLGATE_SECRET: 'test-secret-test-secret-test-secret' });
  const first = childrenOf(gateway.pid);
  for (const pid of first) process.kill(pid, 'SIGKILL');
  await expect.poll(() => childrenOf(gateway.pid).filter((pid) => !first.includes(pid))).toHaveLength(2);
  await expect
    .poll(() =>
      fetch(`${gateway.url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    .toBe(true);
});

async function startAndCall(environment: Record<string, string>): Promise<GatewayProcess> {
  const gateway = await GatewayProcess.prepare({}, { TOLLGATE_CONFIG: '', ...environment });
  onTestFinished(() => gateway.close());
  await gateway.start();
  const kept = async (name: string): Promise<string> =>
    (await readFile(join(gateway.folder, 'data', name), 'utf8')).trim();
  // The command line in another terminal finds it.
  await expect.poll(() => kept('address')).toBe(gateway.url);
  const key = await kept('demo-key');
  const asked = { model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: 'Say hello.' }] };
  expect(await gateway.call('POST', '/v1/chat/completions', key, asked)).toMatchObject({ object: 'chat.completion' });
  return gateway;
}
