// The vendors' own packages, pointed at the simulator: a gateway may rely on whatever they understand of its native
// protocols.

import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { CohereClientV2 } from 'cohere-ai';
import { AzureOpenAI } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from './index.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});

afterAll(() => simulator.close());

const COUNTED = 'sim-tokens-100-20';
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

describe('Azure', () => {
  const client = () =>
    new AzureOpenAI({ endpoint: simulator.url, apiKey: 'k', apiVersion: '2024-10-21', maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'Hello' }];

  test('a whole answer of a deployment', async () => {
    const answer = await client().chat.completions.create({ model: COUNTED, messages });
    expect(answer.choices[0]).toMatchObject({ finish_reason: 'stop', message: { role: 'assistant' } });
    expect(answer.usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 20 });
    const sent = simulator.requests.at(-1);
    expect(sent?.path).toContain(`/openai/deployments/${COUNTED}/chat/completions?api-version=2024-10-21`);
    expect(sent?.headers['api-key']).toBe('k');
  });

  test('a stream, its usage and a refusal', async () => {
    const options = { model: COUNTED, messages, stream: true, stream_options: { include_usage: true } } as const;
    let text = '';
    let usage: unknown = null;
    for await (const chunk of await client().chat.completions.create(options)) {
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage ?? usage;
    }
    expect(text.length).toBeGreaterThan(10);
    expect(usage).toMatchObject({ completion_tokens: 20 });
    await expect(client().chat.completions.create({ model: 'sim-status-429', messages })).rejects.toMatchObject({
      status: 429,
    });
  });

  test('vectors', async () => {
    const { data } = await client().embeddings.create({ model: 'm', input: ['a', 'b'], encoding_format: 'float' });
    expect(data.map(({ embedding }) => embedding.length)).toEqual([1536, 1536]);
  });
});

describe('Cohere', () => {
  const client = () => new CohereClientV2({ token: 'k', environment: simulator.url });
  const messages = [{ role: 'user' as const, content: 'Hello' }];

  test('a whole answer', async () => {
    const { message, finishReason, usage } = await client().chat({ model: COUNTED, messages });
    expect(message?.content?.[0]).toMatchObject({ type: 'text' });
    expect(finishReason).toBe('COMPLETE');
    expect(usage?.billedUnits).toMatchObject({ inputTokens: 100, outputTokens: 20 });
  });

  test('an answer by a schema', async () => {
    const responseFormat = { type: 'json_object' as const, jsonSchema: parameters };
    const { message } = await client().chat({ model: 'plain', messages, responseFormat });
    const [content] = message?.content ?? [];
    expect(JSON.parse(content?.type === 'text' ? content.text : '')).toHaveProperty('city');
  });

  test('a call of a tool and its result', async () => {
    const tools = [{ type: 'function' as const, function: { name: 'weather', parameters } }];
    const asked = [{ role: 'user' as const, content: 'What is the weather in Paris?' }];
    const { message, finishReason } = await client().chat({ model: 'plain', messages: asked, tools });
    const [call] = message?.toolCalls ?? [];
    expect([finishReason, call?.function?.name]).toEqual(['TOOL_CALL', 'weather']);
    expect(JSON.parse(call?.function?.arguments ?? '')).toHaveProperty('city');
    const answered = await client().chat({
      ...{ model: 'plain', tools },
      messages: [
        ...asked,
        { role: 'assistant', toolCalls: message?.toolCalls ?? [] },
        { role: 'tool', toolCallId: call?.id ?? '', content: 'sunny' },
      ],
    });
    expect(answered.message?.content?.[0]).toMatchObject({ text: expect.stringContaining('sunny') });
  });

  test('a stream, its end and a refusal', async () => {
    let text = '';
    let end: unknown = null;
    for await (const event of await client().chatStream({ model: COUNTED, messages })) {
      if (event.type === 'content-delta') text += event.delta?.message?.content?.text ?? '';
      if (event.type === 'message-end') end = event.delta;
    }
    expect(text.length).toBeGreaterThan(10);
    expect(end).toMatchObject({ finishReason: 'COMPLETE', usage: { billedUnits: { outputTokens: 20 } } });
    await expect(client().chat({ model: 'sim-status-401', messages }, { maxRetries: 0 })).rejects.toMatchObject({
      statusCode: 401,
    });
  });

  test('vectors and an order of documents', async () => {
    const { embeddings, meta } = await client().embed({
      ...{ model: 'm', texts: ['a', 'a', 'b'] },
      ...{ inputType: 'search_document', embeddingTypes: ['float'], outputDimension: 256 },
    });
    const [first, second, third] = embeddings.float ?? [];
    expect(first).toHaveLength(256);
    expect(second).toEqual(first);
    expect(third).not.toEqual(first);
    expect(meta?.billedUnits?.inputTokens).toBeGreaterThan(0);
    const ranked = await client().rerank({ model: 'm', query: 'red fox', documents: ['blue', 'a red fox'] });
    expect(ranked.results[0]).toMatchObject({ index: 1 });
  });
});

describe('Bedrock', () => {
  const client = () =>
    new BedrockRuntimeClient({
      ...{ endpoint: simulator.url, region: 'us-east-1', maxAttempts: 1 },
      // It would speak HTTP/2 by itself.
      requestHandler: new NodeHttpHandler(),
      credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
    });
  const messages = [{ role: 'user' as const, content: [{ text: 'Hello' }] }];

  test('a whole answer', async () => {
    const { output, stopReason, usage } = await client().send(new ConverseCommand({ modelId: COUNTED, messages }));
    expect(output?.message?.content?.[0]?.text).toBeTruthy();
    expect(stopReason).toBe('end_turn');
    expect(usage).toMatchObject({ inputTokens: 100, outputTokens: 20 });
  });

  test('a stream of binary events, and a refusal', async () => {
    const { stream = [] } = await client().send(new ConverseStreamCommand({ modelId: COUNTED, messages }));
    let text = '';
    let usage: unknown = null;
    for await (const event of stream) {
      text += event.contentBlockDelta?.delta?.text ?? '';
      usage = event.metadata?.usage ?? usage;
    }
    expect(text.length).toBeGreaterThan(10);
    expect(usage).toMatchObject({ outputTokens: 20 });
    const refused = client().send(new ConverseCommand({ modelId: 'sim-status-429', messages }));
    await expect(refused).rejects.toMatchObject({ $metadata: { httpStatusCode: 429 } });
  });
});
