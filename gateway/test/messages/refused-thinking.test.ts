// Newer models take thinking back only after exactly the words that it followed. A call that is refused for it goes to
// the same provider again without any thinking, once, from every dialect; other refusals do not.

import { afterAll, beforeEach, expect, test } from 'vitest';
import { entryOf, startOtherServers } from '../faults/upstreams.ts';
import { configDocument, type Json, startHarness } from '../harness.ts';

const harness = await startHarness();
const others = await startOtherServers();
const KINDS = ['anthropic', 'vertex-claude', 'bedrock-claude'] as const;

const { url } = harness.simulator;
const NAME = 'sim-tokens-100-20';
const upstreamModels = { anthropic: NAME, 'vertex-claude': `anthropic/${NAME}`, 'bedrock-claude': `anthropic.${NAME}` };
const models = Object.fromEntries(
  KINDS.map((kind) => [`acme/${kind}`, { routes: [{ provider: kind, upstream_model: upstreamModels[kind] }] }]),
);
const document = configDocument(url, { models });
const providers = {
  ...(document.providers as Json),
  ...Object.fromEntries(KINDS.map((kind) => [kind, entryOf(kind, url, others.tokenUrl)])),
};
await harness.operate('PUT', '/admin/v1/config', { ...document, providers });
const { key } = await harness.account();

beforeEach(() => {
  harness.simulator.clearScripts();
  harness.simulator.clearRequests();
});

afterAll(async () => {
  await harness.close();
  others.close();
});

const BOUND =
  'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.';

function refuse(message: string): void {
  harness.simulator.script((_, response) => {
    response.writeHead(400, { 'content-type': 'application/json', 'x-amzn-errortype': 'ValidationException' });
    response.end(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message }, message }));
    return undefined;
  });
}

const question = { role: 'user', content: 'Is the tide in?' };
const thought = { thinking: 'Let me see.', signature: 'c2lnbmVk' };

const bodies: Readonly<Record<string, Json>> = {
  '/v1/messages': {
    max_tokens: 9,
    messages: [
      question,
      {
        role: 'assistant',
        content: [
          { type: 'thinking', ...thought },
          { type: 'redacted_thinking', data: 'ENC' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', ...thought },
          { type: 'text', text: 'It is.' },
        ],
      },
      { role: 'user', content: 'Really?' },
    ],
  },
  '/v1/chat/completions': {
    messages: [
      question,
      {
        role: 'assistant',
        content: 'It is.',
        reasoning_details: [{ type: 'reasoning.text', text: thought.thinking, signature: thought.signature }],
      },
      { role: 'user', content: 'Really?' },
    ],
  },
};

const cases = Object.keys(bodies).flatMap((path) => KINDS.map((kind) => [path, kind] as const));

const send = (path: string, kind: string) =>
  harness.request('POST', path, { key, body: { model: `acme/${kind}`, ...bodies[path] } });

const sent = (): readonly string[] => harness.simulator.requests.map(({ json }) => JSON.stringify(json));

test.each(cases)('%s at %s', async (path, kind) => {
  refuse(BOUND);
  const answer = await send(path, kind);
  expect(answer.status, answer.text).toBe(200);
  const [first, second, ...more] = sent();
  expect(first).toContain('c2lnbmVk');
  expect(second).toContain('It is.');
  expect(second).not.toMatch(/c2lnbmVk|Let me see|ENC|"content":\[\]/);
  expect(more).toEqual([]);
});

test('it is not asked a third time, and not for another reason', async () => {
  refuse(BOUND);
  refuse(BOUND);
  const again = await send('/v1/messages', 'anthropic');
  expect([again.status, sent().length]).toEqual([400, 2]);
  expect(again.text).toContain('did not accept the thinking');

  harness.simulator.clearRequests();
  refuse('messages.0.content: Input should be a valid string');
  expect((await send('/v1/messages', 'anthropic')).status).toBe(400);
  expect(sent()).toHaveLength(1);
});
