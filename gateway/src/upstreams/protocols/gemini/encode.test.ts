// What is sent to this API: turns that alternate, signatures with the part they came with, settings in its own words,
// and schemas in the part of JSON Schema that it accepts.

import { describe, expect, test } from 'vitest';
import type { Conversation, ImagePart, Message } from '../../../canonical/conversation.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { ConversationRequest } from '../../../canonical/request.ts';
import { encodeRequest, geminiPlace } from './encode-request.ts';

const hello: Message = { role: 'user', parts: [{ type: 'text', text: 'Hi' }] };

function encode(
  change: Partial<Conversation> = {},
  options: { model?: string; request?: object; isOwn?: boolean } = {},
): JsonObject {
  const conversation: Conversation = { messages: [hello], tools: [], sampling: {}, ...change };
  const request = {
    plugins: [],
    body: {},
    needs: { imageOutput: false },
    hidesReasoning: false,
    logprobCount: 0,
    isStream: false,
    toConversation: () => conversation,
    ...options.request,
  } as unknown as ConversationRequest;
  const candidate = {
    upstreamModel: options.model ?? 'gemini-2.5-flash',
    provider: { baseUrl: 'https://files.test/v1beta' },
    ...(options.isOwn === true ? { own: {} } : {}),
    model: { supportedParameters: null, outputModalities: ['text'], traits: { isReasoningMandatory: false } },
  } as unknown as Candidate;
  return JSON.parse(String(encodeRequest(geminiPlace)(request, candidate).body));
}

const contentsOf = (messages: readonly Message[], model?: string): unknown =>
  encode({ messages }, model === undefined ? {} : { model }).contents;

test('CHAT-24 instructions, turns, and a stream by its own path', () => {
  const system: Message = { role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] };
  expect(encode({ messages: [system, hello, hello] })).toEqual({
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [{ role: 'user', parts: [{ text: 'Hi' }, { text: 'Hi' }] }],
    generationConfig: {},
  });
  const request = {
    isStream: true,
    body: {},
    plugins: [],
    needs: {},
    toConversation: () => ({ messages: [hello], tools: [], sampling: {} }),
  };
  const candidate = { upstreamModel: 'models/a b', model: {} };
  const call = encodeRequest(geminiPlace)(request as unknown as ConversationRequest, candidate as unknown as Candidate);
  expect(call.path).toBe('/models/a%20b:streamGenerateContent?alt=sse');
});

test('CHAT-24 a proof that stands behind a text goes back with it', () => {
  const proof = { type: 'reasoning' as const, text: '', signature: 'tollgate.gemini.c2ln' };
  const said: Message = { role: 'assistant', parts: [{ type: 'text', text: 'Yes.' }, proof] };
  const model = { role: 'model', parts: [{ text: 'Yes.', thoughtSignature: 'c2ln' }] };
  expect(contentsOf([hello, said, hello])).toMatchObject([{ role: 'user' }, model, { role: 'user' }]);
});

test('safety settings by either name; a cache of content only at an upstream of the caller’s own', () => {
  const settings = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }];
  for (const name of ['safety_settings', 'safetySettings']) {
    expect(encode({}, { request: { body: { [name]: settings } } })).toMatchObject({ safetySettings: settings });
  }
  const request = { body: { cached_content: 'cachedContents/x' } };
  expect(encode({}, { request })).not.toHaveProperty('cachedContent');
  expect(encode({}, { request, isOwn: true })).toMatchObject({ cachedContent: 'cachedContents/x' });
});

describe('tools', () => {
  const sealed = 'tollgate.gemini.c2ln';
  const call = {
    type: 'tool-call' as const,
    id: 'c1',
    name: 'tide',
    argumentsText: '{"port":"Brest","id":12345678901234567890}',
  };
  const other = { ...call, id: 'c2', argumentsText: '' };
  const result = (callId: string, isError = false): Message => ({
    role: 'tool',
    parts: [{ type: 'tool-result', callId, content: [{ type: 'text', text: 'high' }], isError }],
  });

  test('TOOL-07 calls, their results by name, and the signature with the call', () => {
    const parts = [{ type: 'reasoning' as const, text: 'Hm.', signature: sealed }, call, other];
    expect(contentsOf([hello, { role: 'assistant', parts }, result('c1'), result('c2', true)])).toEqual([
      { role: 'user', parts: [{ text: 'Hi' }] },
      {
        role: 'model',
        parts: [
          {
            functionCall: { id: 'c1', name: 'tide', args: expect.objectContaining({ port: 'Brest' }) },
            thoughtSignature: 'c2ln',
          },
          { functionCall: { id: 'c2', name: 'tide', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'c1', name: 'tide', response: { output: 'high' } } },
          { functionResponse: { id: 'c2', name: 'tide', response: { error: 'high' } } },
        ],
      },
    ]);
  });

  test('TOOL-01 the parameters of a function are an object also where its schema is a choice', () => {
    const properties = { port: { type: 'string' } };
    const tool = { name: 'tide', parameters: { oneOf: [{ type: 'object', properties }] } };
    const [sent] = encode({ tools: [tool] }).tools as [{ functionDeclarations: readonly JsonObject[] }];
    expect(sent.functionDeclarations).toEqual([{ name: 'tide', parameters: { type: 'object', properties } }]);
  });

  test('TOOL-07 a dialect that puts thinking before the text still returns it to the call', () => {
    const parts = [
      { type: 'reasoning' as const, text: '', signature: sealed },
      { type: 'text' as const, text: 'So.' },
      call,
    ];
    expect(contentsOf([{ role: 'assistant', parts }])).toMatchObject([
      { parts: [{ text: 'So.' }, { thoughtSignature: 'c2ln' }] },
    ]);
  });

  test("CHAT-40 another vendor's signature never gets here; newer models are told that the call is foreign", () => {
    const parts = [{ type: 'reasoning' as const, text: 'Hm.', signature: 'EqRkClaude==' }, call];
    expect(JSON.stringify(contentsOf([{ role: 'assistant', parts }]))).not.toContain('ignature');
    expect(contentsOf([{ role: 'assistant', parts: [...parts, other] }], 'gemini-3-pro')).toMatchObject([
      { parts: [{ thoughtSignature: 'skip_thought_signature_validator' }, { functionCall: { id: 'c2' } }] },
    ]);
  });

  test.each([
    ['auto', { mode: 'AUTO' }],
    ['none', { mode: 'NONE' }],
    ['required', { mode: 'ANY' }],
    [{ name: 'tide' }, { mode: 'ANY', allowedFunctionNames: ['tide'] }],
  ] as const)('TOOL-04 the choice %o', (toolChoice, functionCallingConfig) => {
    const tools = [{ name: 'tide', description: 'Tides.', parameters: { type: 'object', properties: {} } }];
    expect(encode({ tools, toolChoice })).toMatchObject({
      tools: [{ functionDeclarations: [{ name: 'tide', description: 'Tides.' }] }],
      toolConfig: { functionCallingConfig },
    });
  });

  test('TOOL-04 of tools that are not allowed only the names are kept back where one must be called', () => {
    const tool = (name: string) => ({ name, parameters: {} });
    const tools = [tool('tide')];
    const offeredTools = [tool('moon'), ...tools];
    expect(encode({ tools, offeredTools, toolChoice: 'required' })).toMatchObject({
      tools: [{ functionDeclarations: [{ name: 'moon' }, { name: 'tide' }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['tide'] } },
    });
    expect(encode({ tools, offeredTools, toolChoice: 'auto' })).toMatchObject({
      tools: [{ functionDeclarations: [{ name: 'tide' }] }],
      toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
    });
  });

  test('CHAT-13 the web plugin is a search of its own', () => {
    expect(encode({}, { request: { plugins: [{ id: 'web' }] } }).tools).toEqual([{ googleSearch: {} }]);
  });
});

test('CHAT-29 CHAT-30 CHAT-31 CHAT-32 media as data and by address', () => {
  const base64 = (mediaType: string) => ({ kind: 'base64' as const, mediaType, data: 'QUJD' });
  const [content] = contentsOf([
    {
      role: 'user',
      parts: [
        { type: 'image', source: base64('image/jpg') },
        { type: 'image', source: { kind: 'url', url: 'https://x.test/a.PNG?v=1' } },
        { type: 'file', source: base64('application/pdf') },
        { type: 'audio', data: 'QUJD', format: 'wav' },
        { type: 'video', source: { kind: 'url', url: 'https://x.test/v' } },
      ],
    },
  ]) as readonly JsonObject[];
  expect(content?.parts).toEqual([
    { inlineData: { mimeType: 'image/jpeg', data: 'QUJD' } },
    { fileData: { mimeType: 'image/png', fileUri: 'https://x.test/a.PNG?v=1' } },
    { inlineData: { mimeType: 'application/pdf', data: 'QUJD' } },
    { inlineData: { mimeType: 'audio/wav', data: 'QUJD' } },
    { fileData: { mimeType: 'video/mp4', fileUri: 'https://x.test/v' } },
  ]);
});

test.each([
  'https://generativelanguage.googleapis.com/v1beta/files/abc',
  'HTTPS://GenerativeLanguage.googleapis.com:443/v1beta/files/abc',
  'https://files.test/v1beta/files/abc',
  'https://[/files/abc',
])('VER-06 a file in the account at the provider is not named under the platform s key: %s', (url) => {
  const messages: Message[] = [{ role: 'user', parts: [{ type: 'image', source: { kind: 'url', url } }] }];
  expect(() => encode({ messages })).toThrow('kept at the provider');
  const pictures: ImagePart[] = [{ type: 'image', source: { kind: 'url', url } }];
  expect(() => encode({ messages: [{ role: 'assistant', parts: [], pictures }] })).toThrow('kept at the provider');
  const content: ImagePart[] = [{ type: 'image', source: { kind: 'url', url } }];
  const result = { type: 'tool-result', callId: 'c', content, isError: false } as const;
  expect(() => encode({ messages: [hello, { role: 'tool', parts: [result] }] })).toThrow('kept at the provider');
  expect(JSON.stringify(encode({ messages }, { isOwn: true }))).toContain(url);
});

describe('settings', () => {
  const config = (change: Partial<Conversation>, model?: string) =>
    encode(change, model === undefined ? {} : { model }).generationConfig;

  test('CHAT-09 sampling, zero included, in its own words', () => {
    const sampling = {
      temperature: 0,
      topP: 0.5,
      topK: 3,
      presencePenalty: 0,
      frequencyPenalty: 1,
      seed: 7,
      stop: ['END', ''],
    };
    expect(config({ sampling, outputTokensMax: 9 })).toEqual({
      temperature: 0,
      topP: 0.5,
      topK: 3,
      frequencyPenalty: 1,
      seed: 7,
      stopSequences: ['END'],
      maxOutputTokens: 9,
    });
  });

  test('CHAT-16 thinking is a budget for older models and a level for newer ones', () => {
    const thinking = (reasoning: Conversation['reasoning'], model?: string) =>
      (config({ reasoning }, model) as JsonObject).thinkingConfig;
    expect(thinking({ effort: 'medium' })).toEqual({ includeThoughts: true, thinkingBudget: 8_192 });
    expect(thinking({ tokensMax: 777 })).toEqual({ includeThoughts: true, thinkingBudget: 777 });
    expect(thinking({ isEnabled: false })).toEqual({ thinkingBudget: 0 });
    expect(thinking({ isEnabled: false }, 'gemini-2.5-pro')).toEqual({ thinkingBudget: 128 });
    expect(thinking({ effort: 'high' }, 'gemini-3-pro')).toEqual({ includeThoughts: true, thinkingLevel: 'high' });
    expect(thinking({ effort: 'medium' }, 'gemini-3-pro')).toMatchObject({ thinkingLevel: 'high' });
    for (const model of ['gemini-3-flash-preview', 'gemini-3.1-pro-preview', 'gemini-3.8-flash']) {
      expect(thinking({ effort: 'medium' }, model)).toMatchObject({ thinkingLevel: 'medium' });
    }
    for (const [model, least] of [
      ['gemini-3.1-flash-lite', 'minimal'],
      ['gemini-3.5-flash', 'minimal'],
      ['gemini-3.1-pro-preview', 'low'],
    ]) {
      expect(thinking({ isEnabled: false }, model)).toEqual({ thinkingLevel: least });
      expect(thinking({ effort: 'minimal' }, model)).toEqual({ includeThoughts: true, thinkingLevel: least });
    }
    expect(thinking(undefined)).toBeUndefined();
  });

  test('TOOL-11 an answer by a schema', () => {
    const schema = { type: 'object', properties: { a: { type: ['string', 'null'] } }, additionalProperties: false };
    expect(config({ responseFormat: { type: 'json-schema', name: 'n', schema } })).toEqual({
      responseMimeType: 'application/json',
      responseSchema: { type: 'object', properties: { a: { type: 'string', nullable: true } } },
    });
    expect(config({ responseFormat: { type: 'json-object' } })).toEqual({ responseMimeType: 'application/json' });
  });

  test('CHAT-14 the shape that a picture shall have', () => {
    const body = { image_config: { aspect_ratio: '16:9', strength: 0.5 } };
    const sent = encode({}, { request: { body, needs: { imageOutput: true } } });
    expect(sent.generationConfig).toEqual({
      responseModalities: ['TEXT', 'IMAGE'],
      imageConfig: { aspectRatio: '16:9' },
    });
    expect(encode({}, { request: { body } }).generationConfig).toEqual({});
  });

  test('what only this API knows is taken from the body, but for what the account holds', () => {
    const body = { safety_settings: [{ category: 'X', threshold: 'BLOCK_NONE' }], cached_content: 'cachedContents/1' };
    const sent = encode({}, { request: { body } });
    expect(sent.safetySettings).toEqual(body.safety_settings);
    expect(JSON.stringify(sent)).not.toContain('cachedContents');
  });
});
