// Errors that frameworks recognize by words or status are written as vendors write them, in each dialect.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configDocument, type Harness, type Json, startHarness } from '../harness.ts';

let harness: Harness;
let key: string;

beforeAll(async () => {
  harness = await startHarness();
  const document = configDocument(harness.simulator.url, {
    models: {
      'openai/small': { entry: { context_length: 8_193 } },
      'openai/full': { commands: 'context-length' },
      'openai/prude': { commands: 'policy' },
      'openai/plain': { commands: 'tokens-10-5' },
      'openai/away': { commands: 'status-500' },
      'native/plain': { routes: [{ provider: 'native', upstream_model: 'sim-tokens-10-5' }] },
    },
  });
  const providers = document.providers as Json;
  providers.native = { ...(providers.sim as Json), protocol: 'anthropic' };
  await harness.operate('PUT', '/admin/v1/config', document);
  ({ key } = await harness.account(5));
});
afterAll(() => harness.close());

const paths = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
} as const;
type Dialect = keyof typeof paths;

function ask(dialect: Dialect, model: string, text = 'Hi') {
  const messages = [{ role: 'user', content: text }];
  const bodies = { chat: { messages }, responses: { input: text }, messages: { messages, max_tokens: 50 } };
  return harness.request('POST', paths[dialect], { key, body: { model, ...bodies[dialect] } });
}

const messageOf = ({ body }: { body: Json }): string => String((body.error as Json).message);

describe('ERR-33 a prompt that is too long', () => {
  const long = 'word '.repeat(20_000);
  const openai =
    /^This model's maximum context length is 8193 tokens\. However, your messages resulted in \d+ tokens\./;
  const expected = { chat: openai, responses: openai, messages: /^prompt is too long: \d+ tokens > 8193 maximum$/ };

  test.each(Object.keys(paths) as Dialect[])('%s', async (dialect) => {
    const answer = await ask(dialect, 'openai/small', long);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 'context_too_long' });
    expect(messageOf(answer)).toMatch(expected[dialect]);
  });

  test.each(Object.keys(paths) as Dialect[])('%s, by the word of the upstream', async (dialect) => {
    const answer = await ask(dialect, 'openai/full');
    expect(answer.body.error).toMatchObject({ code: 'context_too_long' });
    expect(messageOf(answer)).toMatch(dialect === 'messages' ? /^prompt is too long/ : /^This model's maximum context/);
  });

  // Each is what some client looks for, and nothing else, before it shortens a conversation and asks again.
  const phrases = ["model's maximum context length is", 'context_length_exceeded', 'reduce the length of the messages'];

  test.each([
    ['chat', 'openai/small', phrases],
    ['responses', 'openai/small', phrases],
    ['chat', 'openai/full', [...phrases, 'exceeds the context window']],
    ['responses', 'openai/full', [...phrases, 'exceeds the context window']],
  ] as const)('%s of %s has the phrases that clients know it by', async (dialect, model, expectedPhrases) => {
    const message = messageOf(await ask(dialect, model, long));
    for (const phrase of expectedPhrases) expect(message).toContain(phrase);
  });
});

test.each(Object.keys(paths) as Dialect[])(
  'ERR-39 a refusal on safety grounds is known as one: %s',
  async (dialect) => {
    const answer = await ask(dialect, 'openai/prude');
    expect(answer.body.error).toMatchObject({ code: 'content_moderation' });
    expect(messageOf(answer)).toMatch(/content filtering.*content_policy_violation/);
  },
);

test('ERR-11 MSGS-10 what is out of service for a while is 529 overloaded_error on Messages, and 503 elsewhere', async () => {
  // A route that fails again and again is taken out of use.
  await expect.poll(async () => (await ask('chat', 'openai/away')).status).toBe(503);
  const messages = await ask('messages', 'openai/away');
  expect(messages.status).toBe(529);
  expect(messages.body).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } });
  expect((await ask('chat', 'openai/away')).status).toBe(503);
});

test('CHAT-33 a chat answer that was rendered has a fingerprint of null', async () => {
  expect((await ask('chat', 'native/plain')).body).toHaveProperty('system_fingerprint', null);
});

test('CAT-12 CAT-13 a model by its id, with the slash plain or encoded', async () => {
  for (const path of ['/v1/models/openai/plain', '/v1/models/openai%2Fplain', '/v1/models/openai-plain']) {
    const answer = await harness.request('GET', path);
    expect(answer.status, path).toBe(200);
    expect(answer.body).toMatchObject({ id: 'openai/plain' });
  }
  for (const path of ['/v1/models/openai/none', '/v1/models/openai/pl%61in/x', '/v1/models/other/plain']) {
    expect((await harness.request('GET', path)).status, path).toBe(404);
  }
});
