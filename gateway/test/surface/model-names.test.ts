// The ways in which a client may spell a model, on every text endpoint.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Harness, startHarness } from '../harness.ts';

let harness: Harness;
let key: string;

beforeAll(async () => {
  harness = await startHarness({
    models: {
      'openai/gpt-9': {},
      'anthropic/claude-test-4.5': {},
      'anthropic/claude-test-4.5:thinking': { commands: 'tokens-100-20' },
    },
  });
  ({ key } = await harness.account());
});

afterAll(() => harness.close());

type Endpoint = Readonly<{ path: string; body: object }>;

const ENDPOINTS: readonly Endpoint[] = [
  { path: '/v1/chat/completions', body: { messages: [{ role: 'user', content: 'Hi' }] } },
  { path: '/v1/responses', body: { input: 'Hi' } },
  { path: '/v1/messages', body: { max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] } },
];

const served = async ({ path, body }: Endpoint, model: string): Promise<unknown> => {
  const answer = await harness.request('POST', path, { key, body: { ...body, model } });
  expect(answer.status, answer.text).toBe(200);
  const generation = await harness.request('GET', `/v1/generation?id=${answer.body.id}`, { key });
  return (generation.body.data as { model: unknown }).model;
};

describe.each(ENDPOINTS)('on $path', (endpoint) => {
  test.each([
    ['ROUTE-01 the full name', 'openai/gpt-9', 'openai/gpt-9'],
    ['ROUTE-02 a name that begins with gpt-', 'gpt-9', 'openai/gpt-9'],
    ['ROUTE-02 ROUTE-22 a name that begins with claude-, with hyphens', 'claude-test-4-5', 'anthropic/claude-test-4.5'],
    [
      'ROUTE-05 a suffix that is a model of its own',
      'anthropic/claude-test-4.5:thinking',
      'anthropic/claude-test-4.5:thinking',
    ],
    ['ROUTE-21 a name behind the prefix of the gateway', 'tollgate/openai/gpt-9', 'openai/gpt-9'],
  ])('%s', async (_title, asked, resolved) => {
    expect(await served(endpoint, asked)).toBe(resolved);
  });
});
