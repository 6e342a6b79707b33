// How the Messages endpoint refuses: the statuses, the envelope that its SDKs read, and who may come in.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Harness, Json } from '../harness.ts';
import { send, startMessagesHarness } from './messages-harness.ts';

let harness: Harness;
let key: string;
const model = 'same/plain';
const body = { model, max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] };

beforeAll(async () => {
  harness = await startMessagesHarness({ plain: 'tokens-100-20', 'status-529': 'status-529', stall: 'close' });
  key = (await harness.account()).key;
});

afterAll(() => harness.close());

const envelope = (type: string, code: unknown) => ({
  type: 'error',
  error: { type, message: expect.any(String), code },
});

describe('MSGS-01 who may come in', () => {
  const ask = (headers: Record<string, string>) => harness.request('POST', '/v1/messages', { headers, body });

  test('the key is read from either header', async () => {
    expect((await ask({ 'x-api-key': key })).status).toBe(200);
    expect((await ask({ Authorization: `Bearer ${key}` })).status).toBe(200);
  });

  test('x-api-key works nowhere else', async () => {
    const chat = { model, messages: body.messages };
    const answer = await harness.request('POST', '/v1/chat/completions', { headers: { 'x-api-key': key }, body: chat });
    expect(answer.status).toBe(401);
  });

  test.each<Record<string, string>>([{}, { 'x-api-key': 'sk-tg-wrong' }, { Authorization: 'Bearer sk-tg-wrong' }])(
    'AUTH-03 without a valid key: %j',
    async (headers) => {
      const answer = await ask(headers);
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual(envelope('authentication_error', 401));
    },
  );
});

describe('400', () => {
  test.each<[string, Json, unknown]>([
    ['MSGS-02 no max_tokens', { max_tokens: undefined }, 'missing_required_field'],
    ['MSGS-02 no messages', { messages: undefined }, 'missing_required_field'],
    ['MSGS-02 no model', { model: undefined }, 'missing_required_field'],
    ['MSGS-02 empty messages', { messages: [] }, 'missing_required_field'],
    ['MSGS-03 max_tokens of 0', { max_tokens: 0 }, 'max_tokens_invalid'],
    ['MSGS-04 temperature of 3', { temperature: 3 }, 400],
    ['ERR-10 a model that does not exist', { model: 'no/such' }, 'unknown_model'],
  ])('%s', async (_title, change, code) => {
    const answer = await harness.request('POST', '/v1/messages', { key, body: { ...body, ...change } });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(envelope('invalid_request_error', code));
    expect(answer.headers.get('request-id')).toBe(answer.headers.get('x-request-id'));
  });

  test('a thread is refused so that the SDK resends the history', async () => {
    const { status, body: refusal } = await send(harness, key, { model, thread: { type: 'create' } });
    expect(status).toBe(400);
    expect(refusal.error).toMatchObject({
      type: 'invalid_request_error',
      details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
    });
  });
});

test('MSGS-10 402 without credit, and a retry would not help', async () => {
  const { key: poor } = await harness.account(0);
  const answer = await send(harness, poor, { model });
  expect(answer.status).toBe(402);
  expect(answer.body).toEqual(envelope('billing_error', 'insufficient_credits'));
  expect(answer.headers.get('x-should-retry')).toBe('false');
});

test.each([
  ['status-529', 502],
  ['stall', 502],
])('MSGS-10 an upstream that fails (%s) gives %i, whole and streamed', async (name, status) => {
  for (const stream of [false, true]) {
    const answer = await send(harness, key, { model: `same/${name}`, stream });
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual(envelope('api_error', expect.stringMatching(/^upstream_/)));
  }
});

describe('counting tokens', () => {
  const count = (change: Json) =>
    harness.request('POST', '/v1/messages/count_tokens', { key, body: { ...body, max_tokens: undefined, ...change } });

  test('costs nothing and grows with the prompt', async () => {
    const { key: poor } = await harness.account(0);
    const short = await harness.request('POST', '/v1/messages/count_tokens', { key: poor, body });
    expect(short.status).toBe(200);
    const long = await count({ system: 'word '.repeat(1_000) });
    expect(Number(long.body.input_tokens)).toBeGreaterThan(Number(short.body.input_tokens) + 900);
    expect(harness.simulator.requests.every(({ path }) => !path.includes('count_tokens'))).toBe(true);
  });

  test('is refused for the same mistakes', async () => {
    expect((await count({ messages: [] })).body).toEqual(envelope('invalid_request_error', 'missing_required_field'));
    expect((await count({ model: 'no/such' })).body).toEqual(envelope('invalid_request_error', 'unknown_model'));
    const stranger = await harness.request('POST', '/v1/messages/count_tokens', { body });
    expect(stranger.body).toEqual(envelope('authentication_error', 401));
  });
});
