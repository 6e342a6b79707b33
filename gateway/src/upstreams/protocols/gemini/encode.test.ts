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
  options: { model?: string; request?: object; isOwn?: boolean; place?: typeof geminiPlace } = {},
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
  return JSON.parse(String(encodeRequest(options.place ?? geminiPlace)(request, candidate).body));
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
    const other = { harbour: { type: 'string' } };
    const tool = { name: 'tide', parameters: { oneOf: [{ properties }, { properties: other }] } };
    const [sent] = encode({ tools: [tool] }).tools as [{ functionDeclarations: readonly JsonObject[] }];
    const parameters = { type: 'object', properties: { ...properties, ...other } };
    expect(sent.functionDeclarations).toEqual([{ name: 'tide', parameters }]);
  });

  test('TOOL-07 a dialect that puts thinking before the text still returns it to the call', () => {
    const parts = [
      { type: 'reasoning' as const, text: '', signature: sealed },
      { type: 'text' as const, text: 'So.' },
      call,
    ];
    expect(contentsOf([hello, { role: 'assistant', parts }])).toMatchObject([
      { role: 'user' },
      { parts: [{ text: 'So.' }, { thoughtSignature: 'c2ln' }] },
    ]);
  });

  test("CHAT-40 another vendor's signature never gets here; newer models are told that the call is foreign", () => {
    const parts = [{ type: 'reasoning' as const, text: 'Hm.', signature: 'EqRkClaude==' }, call];
    expect(JSON.stringify(contentsOf([{ role: 'assistant', parts }]))).not.toContain('ignature');
    expect(contentsOf([hello, { role: 'assistant', parts: [...parts, other] }], 'gemini-3-pro')).toMatchObject([
      { role: 'user' },
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

  test('CHAT-13 the web plugin is a search of its own, and none beside functions, which the API refuses', () => {
    const request = { plugins: [{ id: 'web' }] };
    expect(encode({}, { request }).tools).toEqual([{ googleSearch: {} }]);
    expect(encode({ tools: [{ name: 'tide', parameters: {} }] }, { request }).tools).toEqual([
      { functionDeclarations: [{ name: 'tide' }] },
    ]);
  });

  test('TOOL-07 calls of one id are told apart, and each result has the name of its call', () => {
    const moon = { ...call, name: 'moon' };
    const turns = [call, moon].flatMap((it): Message[] => [{ role: 'assistant', parts: [it] }, result('c1')]);
    const text = JSON.stringify(contentsOf([hello, ...turns]));
    expect([...text.matchAll(/"id":"([^"]+)","name":"([^"]+)"/g)].map(([, id, name]) => [id, name])).toEqual([
      ...[
        ['c1', 'tide'],
        ['c1', 'tide'],
      ],
      ...[
        ['c1_2', 'moon'],
        ['c1_2', 'moon'],
      ],
    ]);
  });

  test('TOOL-07 Vertex AI gets ids of calls back from the models that give them', () => {
    const place = { ...geminiPlace, takesIds: false };
    const messages: Message[] = [hello, { role: 'assistant', parts: [call] }, result('c1')];
    const idsAt = (model: string) => JSON.stringify(encode({ messages }, { model, place })).match(/"id":"c1"/g)?.length;
    expect([idsAt('gemini-2.5-pro'), idsAt('gemini-3.5-flash')]).toEqual([undefined, 2]);
  });

  test('TOOL-11 beside tools, earlier models are told the form of the answer in words', () => {
    const change = {
      tools: [{ name: 'tide', parameters: {} }],
      responseFormat: { type: 'json-schema', name: 'n', schema: { type: 'object', title: 'Tide' } },
    } as const;
    const earlier = encode(change);
    expect(earlier.generationConfig).toEqual({});
    expect(JSON.stringify(earlier.systemInstruction)).toContain('Tide');
    const newer = encode(change, { model: 'gemini-3-flash-preview' });
    expect(newer.generationConfig).toMatchObject({ responseMimeType: 'application/json' });
    expect(newer).not.toHaveProperty('systemInstruction');
  });
});

describe('turns', () => {
  const answer: Message = { role: 'assistant', parts: [{ type: 'text', text: 'Well.' }] };
  const roles = (messages: readonly Message[], model?: string) =>
    (contentsOf(messages, model) as readonly JsonObject[]).map(({ role }) => role);

  test('CHAT-24 the user begins', () => {
    expect(roles([answer, hello])).toEqual(['user', 'model', 'user']);
  });

  test.each([
    ['gemini-2.5-flash', false],
    ['gemini-3.5-flash', false],
    ['gemini-3.5-flash-lite', true],
    ['gemini-3.6-flash', true],
    ['gemini-4-pro', true],
    ['gemini-flash-latest', true],
  ])('CHAT-24 %s: the user has the last word, and sampling is fixed: %s', (model, isStrict) => {
    expect(roles([hello, answer], model)).toEqual(isStrict ? ['user', 'model', 'user'] : ['user', 'model']);
    const sampling = { temperature: 0.5, topP: 0.9, topK: 3, seed: 7 };
    const { temperature, topP, topK, seed } = encode({ sampling }, { model }).generationConfig as JsonObject;
    expect([temperature, topP, topK, seed]).toEqual(isStrict ? [undefined, undefined, undefined, 7] : [0.5, 0.9, 3, 7]);
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
        { type: 'file', source: base64('application/json') },
        { type: 'audio', data: 'QUJD', format: 'wav' },
        { type: 'video', source: { kind: 'url', url: 'https://x.test/v' } },
      ],
    },
  ]) as readonly JsonObject[];
  expect(content?.parts).toEqual([
    { inlineData: { mimeType: 'image/jpeg', data: 'QUJD' } },
    { fileData: { mimeType: 'image/png', fileUri: 'https://x.test/a.PNG?v=1' } },
    { inlineData: { mimeType: 'application/pdf', data: 'QUJD' } },
    { inlineData: { mimeType: 'text/plain', data: 'QUJD' } },
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

  test('CHAT-09 a seed that the API cannot hold is left out', () => {
    expect(config({ sampling: { seed: 2 ** 31 } })).toEqual({});
    expect(config({ sampling: { seed: 2 ** 31 - 1 } })).toEqual({ seed: 2 ** 31 - 1 });
  });

  test('CHAT-16 thinking is a budget for older models and a level for newer ones', () => {
    const thinking = (reasoning: Conversation['reasoning'], model?: string) =>
      (config({ reasoning }, model) as JsonObject).thinkingConfig;
    expect(thinking({ effort: 'medium' })).toEqual({ includeThoughts: true, thinkingBudget: 8_192 });
    expect(thinking({ tokensMax: 777 })).toEqual({ includeThoughts: true, thinkingBudget: 777 });
    for (const [model, asked, sent] of [
      ['gemini-2.5-flash', 63_999, 24_576],
      ['gemini-2.5-flash-lite', 200, 512],
      ['gemini-2.5-pro', 63_999, 32_768],
      ['gemini-2.5-pro', 64, 128],
      ['a-model-of-our-own', 63_999, 63_999],
    ] as const) {
      expect(thinking({ tokensMax: asked }, model), model).toMatchObject({ thinkingBudget: sent });
    }
    expect(thinking({ tokensMax: 31_999 }, 'gemini-3.5-flash')).toEqual({
      includeThoughts: true,
      thinkingLevel: 'high',
    });
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
      ['gemini-3.6-flash', 'minimal'],
      ['gemini-3.7-flash', 'low'],
      ['gemini-flash-latest', 'low'],
      ['gemini-3.7-flash-lite', 'minimal'],
      ['gemini-3.1-pro-preview', 'low'],
    ]) {
      expect(thinking({ isEnabled: false }, model)).toEqual({ thinkingLevel: least });
      expect(thinking({ effort: 'minimal' }, model)).toEqual({ includeThoughts: true, thinkingLevel: least });
    }
    for (const [effort, level] of [
      ['low', 'minimal'],
      ['medium', 'minimal'],
      ['high', 'high'],
    ]) {
      expect(thinking({ effort }, 'gemini-3.1-flash-image')).toMatchObject({ thinkingLevel: level });
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
