// Every code of a model or request error by the request that causes it, as a client would meet it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Harness, type Json, startHarness } from '../harness.ts';

let harness: Harness;
let key: string;

const TOOL = { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } };
const image = (url: string): Json => ({
  role: 'user',
  content: [
    { type: 'text', text: 'Make it brighter.' },
    { type: 'image_url', image_url: { url } },
  ],
});

beforeAll(async () => {
  harness = await startHarness({
    models: {
      'openai/no-tools': { entry: { supported_parameters: ['temperature'] } },
      'openai/text-in': { entry: { input_modalities: ['text'] } },
      'openai/pictures': { entry: { output_modalities: ['text', 'image'] } },
      'openai/films': { entry: { output_modalities: ['video'], pricing: { video_second: '0.1' } } },
      'openai/vectors': { entry: { output_modalities: ['embeddings'] } },
    },
  });
  ({ key } = await harness.account());
});

afterAll(() => harness.close());

const CASES: readonly Readonly<{ title: string; status: number; code: string; body: Json }>[] = [
  {
    title: 'ERR-20 a well-formed name that nobody sells',
    status: 400,
    code: 'unknown_model',
    body: { model: 'nosuch/model-x' },
  },
  { title: 'ERR-21 a malformed name', status: 400, code: 'invalid_model_id', body: { model: 'open ai//gpt' } },
  { title: 'ERR-21 an empty name', status: 400, code: 'invalid_model_id', body: { model: '' } },
  {
    title: 'ERR-25 an embedding model on chat',
    status: 400,
    code: 'embedding_on_chat_endpoint',
    body: { model: 'openai/vectors' },
  },
  {
    title: 'ERR-27 pictures from a model that makes none',
    status: 400,
    code: 'invalid_modality_for_model',
    body: { model: 'openai/test', modalities: ['image'] },
  },
  {
    title: 'ERR-28 a video model on chat',
    status: 400,
    code: 'wrong_endpoint_for_video',
    body: { model: 'openai/films' },
  },
  {
    title: 'ERR-34 tools on a model without them',
    status: 400,
    code: 'tool_use_unsupported',
    body: { model: 'openai/no-tools', tools: [TOOL] },
  },
  {
    title: 'ERR-35 the result of a call that was never made',
    status: 400,
    code: 'malformed_tool_messages',
    body: {
      model: 'openai/test',
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'tool', tool_call_id: 'call_1', content: '{}' },
      ],
    },
  },
  {
    title: 'ERR-42 a picture to change at an address without encryption',
    status: 400,
    code: 'invalid_image_url',
    body: { model: 'openai/pictures', modalities: ['image', 'text'], messages: [image('http://example.com/a.png')] },
  },
  {
    title: 'ERR-43 a picture for a model that takes none',
    status: 400,
    code: 'input_images_not_supported',
    body: { model: 'openai/text-in', messages: [image('https://example.com/a.png')] },
  },
];

describe('chat answers with the code of what is wrong, and nothing is charged', () => {
  test.each(CASES)('$title', async ({ status, code, body }) => {
    const answer = await harness.chat(key, body);
    expect(answer.status, answer.text).toBe(status);
    expect(answer.body.error).toMatchObject({ code, message: expect.stringMatching(/\S/) });
    expect(await harness.spent(key)).toBe(0);
  });
});

test('ERR-29 ALLOW-07 an organization key outside its list', async () => {
  const { userId } = await harness.account();
  const org = await harness.operate('POST', '/admin/v1/orgs', { name: 'Choosy', ownerUserId: userId });
  await harness.operate('POST', `/admin/v1/orgs/${org.id}/credits`, { amountUsd: 10, note: 'test' });
  const keyOf = async (keyType: string): Promise<string> =>
    String((await harness.operate('POST', `/admin/v1/orgs/${org.id}/keys`, { name: keyType, keyType, userId })).key);
  const manager = await keyOf('management');
  const change = { key: manager, body: { allowedModels: ['anthropic/*'] } };
  expect((await harness.request('PATCH', `/api/orgs/${org.id}/allowed-models`, change)).status).toBe(200);
  const answer = await harness.chat(await keyOf('standard'), { model: 'openai/test' });
  expect(answer.status).toBe(403);
  expect(answer.body.error).toMatchObject({ code: 'model_not_allowed' });
});
