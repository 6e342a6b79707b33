// Conversations of which nothing is left in the upstream's format: empty texts, and content that only the caller's own
// format knows. They are refused in words that the caller understands, and no upstream is asked.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { configDocument, type Harness, type Json, type ModelSpec, startHarness } from '../harness.ts';

const PROTOCOLS = ['openai', 'anthropic', 'gemini', 'bedrock', 'cohere'];

let harness: Harness;
let key: string;

beforeAll(async () => {
  harness = await startHarness();
  const models: Record<string, ModelSpec> = {};
  for (const protocol of PROTOCOLS) {
    models[`acme/${protocol}`] = { routes: [{ provider: protocol, upstream_model: `m-${protocol}` }] };
  }
  const document = configDocument(harness.simulator.url, { models });
  const providers = document.providers as Json;
  for (const protocol of PROTOCOLS) providers[protocol] = { ...(providers.sim as Json), protocol };
  const signed = { region: 'eu-west-1', access_key_id: 'AKIDEXAMPLE', secret_access_key: 'secret' };
  providers.bedrock = { protocol: 'bedrock', base_url: harness.simulator.url, ...signed };
  await harness.operate('PUT', '/admin/v1/config', document);
  ({ key } = await harness.account());
});

beforeEach(() => harness.simulator.clearRequests());

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await harness.close();
});

const unknownItem = { path: '/v1/responses', body: { input: [{ type: 'of_next_year' }] } };
const unknownBlock = {
  path: '/v1/messages',
  body: { max_tokens: 50, messages: [{ role: 'user', content: [{ type: 'of_next_year' }] }] },
};
const emptyText = { path: '/v1/chat/completions', body: { messages: [{ role: 'user', content: '' }] } };

test.each([
  ...PROTOCOLS.map((protocol) => ({ protocol, ...unknownItem })),
  // Whoever speaks the caller's own format may know it, or takes an empty text.
  ...PROTOCOLS.filter((protocol) => protocol !== 'anthropic').map((protocol) => ({ protocol, ...unknownBlock })),
  { protocol: 'anthropic', ...emptyText },
])('CHAT-04 RESP-02 MSGS-02 $path with nothing for $protocol', async ({ protocol, path, body }) => {
  const answer = await harness.request('POST', path, { key, body: { model: `acme/${protocol}`, ...body } });
  expect(answer.status).toBe(400);
  expect(answer.body.error).toMatchObject({
    code: 'missing_required_field',
    message: expect.stringContaining('hold nothing that this model'),
  });
  expect(harness.simulator.requests).toEqual([]);
});
