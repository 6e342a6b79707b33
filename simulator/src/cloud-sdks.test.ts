// The packages for models at the clouds of Google and Amazon, pointed at the simulator: Google's own for its models,
// and Anthropic's for Anthropic's, whose answers come in envelopes of the cloud.

import { AnthropicBedrock } from '@anthropic-ai/bedrock-sdk';
import type Anthropic from '@anthropic-ai/sdk';
import { AnthropicVertex } from '@anthropic-ai/vertex-sdk';
import { FunctionCallingConfigMode, GoogleGenAI } from '@google/genai';
import { OAuth2Client } from 'google-auth-library';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from './index.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});

afterAll(() => simulator.close());

const COUNTED = 'sim-tokens-100-20';
const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

/** A token that nobody has to grant. */
function heldToken(): OAuth2Client {
  const client = new OAuth2Client();
  client.setCredentials({ access_token: 'token', expiry_date: Date.now() + 3_600_000 });
  return client;
}

const googles: readonly (readonly [name: string, client: () => GoogleGenAI, path: string])[] = [
  [
    'Gemini',
    () => new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: simulator.url } }),
    `/v1beta/models/${COUNTED}:generateContent`,
  ],
  [
    'Vertex AI',
    () =>
      new GoogleGenAI({
        ...{ vertexai: true, project: 'p', location: 'europe-west1', googleAuthOptions: { authClient: heldToken() } },
        httpOptions: { baseUrl: simulator.url },
      }),
    `/v1beta1/projects/p/locations/europe-west1/publishers/google/models/${COUNTED}:generateContent`,
  ],
];

describe.each(googles)('%s', (_name, client, path) => {
  test('a whole answer', async () => {
    const answer = await client().models.generateContent({ model: COUNTED, contents: 'Hello' });
    expect(answer.text?.length).toBeGreaterThan(10);
    expect(answer.candidates?.[0]?.finishReason).toBe('STOP');
    expect(answer.usageMetadata).toMatchObject({ promptTokenCount: 100, candidatesTokenCount: 20 });
    expect(simulator.requests.at(-1)?.path).toBe(path);
  });

  test('a call of a tool, signed, and its result', async () => {
    const tools = [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: CITY }] }];
    const toolConfig = { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } };
    const asked = { role: 'user', parts: [{ text: 'What is the weather in Paris?' }] };
    const config = { tools, toolConfig };
    const first = await client().models.generateContent({ model: 'gemini-3-pro', contents: [asked], config });
    const [call] = first.functionCalls ?? [];
    expect(call).toMatchObject({ name: 'weather', args: { city: expect.any(String) } });
    const said = first.candidates?.[0]?.content;
    expect(said?.parts?.[0]?.thoughtSignature).toBeTruthy();
    const result = { functionResponse: { name: 'weather', response: { result: 'sunny' } } };
    const contents = [asked, ...(said === undefined ? [] : [said]), { role: 'user', parts: [result] }];
    const second = await client().models.generateContent({ model: 'gemini-3-pro', contents, config: { tools } });
    expect(second.text).toContain('sunny');
  });

  test('a stream, its thoughts, its end and a refusal', async () => {
    const model = 'sim-reasoning-12+tokens-100-20';
    let text = '';
    let thoughts = '';
    let last: unknown = null;
    const config = { thinkingConfig: { includeThoughts: true } };
    for await (const chunk of await client().models.generateContentStream({ model, contents: 'Hello', config })) {
      for (const part of chunk.candidates?.[0]?.content?.parts ?? []) {
        if (part.thought === true) thoughts += part.text ?? '';
        else text += part.text ?? '';
      }
      last = chunk;
    }
    expect(text.length).toBeGreaterThan(10);
    expect(thoughts.length).toBeGreaterThan(10);
    expect(last).toMatchObject({ candidates: [{ finishReason: 'STOP' }], usageMetadata: { thoughtsTokenCount: 12 } });
    await expect(client().models.generateContent({ model: 'sim-status-429', contents: 'Hello' })).rejects.toMatchObject(
      { status: 429 },
    );
  });

  test('vectors', async () => {
    const config = { outputDimensionality: 256 };
    const { embeddings } = await client().models.embedContent({ model: 'm', contents: ['a', 'b'], config });
    const [first, second] = embeddings ?? [];
    expect(first?.values).toHaveLength(256);
    expect(second?.values).not.toEqual(first?.values);
  });
});

type Messages = Pick<Anthropic['messages'], 'create' | 'stream'>;

const anthropics: readonly (readonly [name: string, messages: () => Messages, path: string])[] = [
  [
    'Anthropic at Bedrock',
    () =>
      new AnthropicBedrock({
        ...{ baseURL: simulator.url, awsRegion: 'us-east-1', maxRetries: 0 },
        ...{ awsAccessKey: 'AKIDEXAMPLE', awsSecretKey: 'secret' },
      }).messages,
    `/model/${COUNTED}/invoke`,
  ],
  [
    'Anthropic at Vertex AI',
    () =>
      new AnthropicVertex({
        ...{ baseURL: `${simulator.url}/v1`, region: 'europe-west1', projectId: 'p', maxRetries: 0 },
        authClient: heldToken(),
      }).messages,
    `/v1/projects/p/locations/europe-west1/publishers/anthropic/models/${COUNTED}:rawPredict`,
  ],
];

describe.each(anthropics)('%s', (_name, messages, path) => {
  const messagesOf = (content: string) => [{ role: 'user' as const, content }];

  test('a whole answer', async () => {
    const answer = await messages().create({ model: COUNTED, max_tokens: 99, messages: messagesOf('Hello') });
    expect(answer.content[0]).toMatchObject({ type: 'text', text: expect.stringMatching(/.{10}/) });
    expect(answer).toMatchObject({ stop_reason: 'end_turn', usage: { input_tokens: 100, output_tokens: 20 } });
    expect(simulator.requests.at(-1)?.path).toBe(path);
  });

  test('a stream with thinking, a call of a tool, and its end', async () => {
    const stream = messages().stream({
      ...{ model: 'sim-reasoning-12', max_tokens: 2_000, messages: messagesOf('What is the weather in Paris?') },
      tools: [{ name: 'weather', input_schema: { ...CITY, type: 'object' } }],
    });
    const answer = await stream.finalMessage();
    const [thinking, call] = answer.content;
    expect(thinking).toMatchObject({ type: 'thinking', signature: expect.any(String) });
    expect(call).toMatchObject({ type: 'tool_use', name: 'weather', input: { city: expect.any(String) } });
    expect(answer.stop_reason).toBe('tool_use');
  });

  test('a refusal, and a stream that fails', async () => {
    const asked = { max_tokens: 99, messages: messagesOf('Hello') };
    await expect(messages().create({ model: 'sim-status-429', ...asked })).rejects.toMatchObject({ status: 429 });
    await expect(
      messages()
        .stream({ model: 'sim-error-frame-2', ...asked })
        .finalMessage(),
    ).rejects.toThrow();
  });
});
