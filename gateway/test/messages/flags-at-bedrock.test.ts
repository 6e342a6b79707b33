// A client's flags for a model at Bedrock: Bedrock reads them only from the body, and refuses a call with a flag that
// it does not know, so only known flags are sent there.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { configDocument, type Harness, type Json, startHarness } from '../harness.ts';

let harness: Harness;
let key: string;

beforeAll(async () => {
  harness = await startHarness();
  const { url } = harness.simulator;
  const models = {
    'acme/claude': { routes: [{ provider: 'bedrock', upstream_model: 'anthropic.sim-tokens-100-20' }] },
  };
  const document = configDocument(url, { models });
  const keys = { region: 'us-east-1', access_key_id: 'AKIDEXAMPLE', secret_access_key: 'secret' };
  const providers = { ...(document.providers as Json), bedrock: { protocol: 'bedrock', base_url: url, ...keys } };
  await harness.operate('PUT', '/admin/v1/config', { ...document, providers });
  ({ key } = await harness.account());
});

afterAll(() => harness.close());

const ask = (flags: string) =>
  harness.request('POST', '/v1/messages', {
    key,
    body: { model: 'acme/claude', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
    headers: { 'anthropic-beta': flags },
  });

test('known flags are in the body, others are left out', async () => {
  expect((await ask('interleaved-thinking-2025-05-14, claude-code-20250219,nobody-knows-this')).status).toBe(200);
  expect(harness.simulator.requests.at(-1)?.json).toMatchObject({
    anthropic_version: 'bedrock-2023-05-31',
    anthropic_beta: ['interleaved-thinking-2025-05-14'],
  });
  expect((await ask('claude-code-20250219')).status).toBe(200);
  expect(harness.simulator.requests.at(-1)?.json).not.toHaveProperty('anthropic_beta');
});
