// A server of Google's interface with several keys, one of which may not use a model: the others serve, and what a
// caller can provoke sets no key aside.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { type Providers, routesTo, startProviders } from './providers.ts';

type Refusal = Readonly<{ status: number; message: string; reason?: string }>;

const FORBIDDEN: Refusal = { status: 403, message: 'The caller does not have permission' };
const INVALID: Refusal = {
  status: 400,
  message: 'API key not valid. Please pass a valid API key.',
  reason: 'API_KEY_INVALID',
};
const ELSEWHERE: Refusal = {
  status: 403,
  message: "Permission 'aiplatform.endpoints.predict' denied on resource '//x/models/m' (or it may not exist).",
  reason: 'IAM_PERMISSION_DENIED',
};

let server: Server;
let providers: Providers;
/** By the key, or by the key and the model. */
const refusals = new Map<string, Refusal>();
let asked: string[] = [];

const refusalText = ({ status, message, reason }: Refusal): string =>
  JSON.stringify({ error: { code: status, message, details: reason === undefined ? [] : [{ reason }] } });

const answerText = JSON.stringify({
  candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2 },
});

beforeAll(async () => {
  server = createServer((request, response) => {
    const name = String(request.headers['x-goog-api-key']).replace('key-', '');
    const model = /models\/(\w+)/.exec(request.url ?? '')?.[1] ?? '';
    if (request.method === 'POST') asked.push(name);
    request.resume();
    const refusal = refusals.get(`${name} ${model}`) ?? refusals.get(name);
    response.writeHead(refusal?.status ?? 200, { 'content-type': 'application/json' });
    response.end(refusal === undefined ? answerText : refusalText(refusal));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1beta`;
  const keyed = {
    protocol: 'gemini',
    base_url: baseUrl,
    api_key: 'key-first',
    api_keys: { second: { key: 'key-second' } },
  };
  const input = { input_modalities: ['text', 'image', 'video'] };
  providers = await startProviders({
    providers: { keyed, single: { protocol: 'gemini', base_url: baseUrl, api_key: 'key-only' } },
    models: {
      'acme/m': { routes: routesTo({ keyed: '1' }, 'm'), ...input },
      'acme/n': { routes: routesTo({ keyed: '1' }, 'n'), ...input },
      'acme/only-m': { routes: routesTo({ single: '1' }, 'm') },
      'acme/only-n': { routes: routesTo({ single: '1' }, 'n') },
    },
  });
});

afterAll(async () => {
  await providers.close();
  server.close();
});

beforeEach(async () => {
  refusals.clear();
  await providers.pass(700_000);
  asked = [];
});

const statusOf = async (model: string, more: Json = {}): Promise<number> =>
  (await providers.chat({ model, ...more })).status;
const askMany = async (model: string): Promise<void> => {
  for (let call = 0; call < 12; call += 1) expect(await statusOf(model)).toBe(200);
};
const stateOfFirst = async (): Promise<Json> => {
  const { data } = await providers.harness.operate('GET', '/admin/v1/providers');
  const { keys } = (data as Json[]).find(({ name }) => name === 'keyed') as { keys: Json[] };
  return keys[0] as Json;
};
const firstAsked = (): number => asked.filter((name) => name === 'first').length;

test('ERR-56 ROUTE-12 a key without permission for a model is set aside for that model, and another serves', async () => {
  refusals.set('first m', FORBIDDEN);
  await askMany('acme/m');
  expect(firstAsked()).toBe(1);
  expect(await stateOfFirst()).toMatchObject({ state: 'limited', limitedModels: ['m'] });
  await askMany('acme/n');
  expect(firstAsked()).toBeGreaterThan(1);
  refusals.clear();
  await providers.pass(700_000);
  expect(await stateOfFirst()).toMatchObject({ state: 'usable', limitedModels: [] });
});

test.each([
  ['API_KEY_INVALID', INVALID],
  ['a project that was closed', { status: 403, message: 'Your project has been denied access.' }],
] as const)('ERR-56 a key that is refused altogether is set aside for all models: %s', async (_, refusal) => {
  refusals.set('first', refusal);
  await askMany('acme/m');
  expect(firstAsked()).toBeLessThanOrEqual(3);
  expect(await stateOfFirst()).toMatchObject({ state: 'refused' });
  asked = [];
  await askMany('acme/n');
  expect(firstAsked()).toBe(0);
});

test('ROUTE-12 what a caller names by its address, and the provider may not read, sets no key aside', async () => {
  const video = { type: 'video_url', video_url: { url: 'https://www.youtube.com/watch?v=private' } };
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, video] }];
  refusals.set('first', FORBIDDEN);
  refusals.set('second', FORBIDDEN);
  for (let call = 0; call < 12; call += 1) expect(await statusOf('acme/m', { messages })).toBe(400);
  refusals.clear();
  expect(await stateOfFirst()).toMatchObject({ state: 'usable' });
  expect(await statusOf('acme/m')).toBe(200);
});

test('ROUTE-12 a model that is not there for a provider of one key leaves its other models alone', async () => {
  refusals.set('only m', ELSEWHERE);
  for (let call = 0; call < 12; call += 1) expect(await statusOf('acme/only-m')).toBe(502);
  expect(asked.length).toBeGreaterThanOrEqual(5);
  expect(await statusOf('acme/only-n')).toBe(200);
  const { data } = await providers.harness.operate('GET', '/admin/v1/providers');
  const { keys } = (data as Json[]).find(({ name }) => name === 'single') as { keys: Json[] };
  expect(keys).toMatchObject([{ state: 'usable' }]);
});
