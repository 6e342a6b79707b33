// The first start without a config file, as a script runs it: it waits until the gateway is ready, and then uses the
// key of the demonstration.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { GatewayProcess } from '../behaviour/gateway-process.ts';

const gateway = await GatewayProcess.prepare({}, { TOLLGATE_CONFIG: '' });

afterAll(() => gateway.close());

test('a gateway that is ready has written the key of the demonstration, and serves it', async () => {
  await gateway.start();
  const key = (await readFile(join(gateway.folder, 'data', 'demo-key'), 'utf8')).trim();
  const asked = { model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: 'Say hello.' }] };
  expect(await gateway.call('POST', '/v1/chat/completions', key, asked)).toMatchObject({ object: 'chat.completion' });
});
