// What an upstream gets from a caller of another dialect: all that it can be expected to know, and nothing else.

import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../../../test/translation/deep-freeze.ts';
import type { Conversation, Message } from '../../../canonical/conversation.ts';
import type { Candidate, FamilyTraits, Model } from '../../../canonical/model.ts';
import type { ConversationRequest } from '../../../canonical/request.ts';
import { encodeChatRequest } from './encode-request.ts';

const traits: FamilyTraits = {
  family: 'acme',
  keepsOpenAiOnlyFields: false,
  messagesMax: null,
  isThinkingOptIn: false,
  thinkingCompletionMultiplier: 1,
  isReasoningMandatory: false,
  isReasoningAsked: false,
  pictureTokensMax: 4_800,
  picturesExceedContext: false,
  tokenizer: null,
};
const OPENAI: Partial<FamilyTraits> = { family: 'openai', keepsOpenAiOnlyFields: true };
const CLAUDE: Partial<FamilyTraits> = { family: 'anthropic' };

type Setting = Readonly<{
  traits?: Partial<FamilyTraits>;
  request?: Partial<ConversationRequest>;
  model?: Partial<Model>;
  route?: Readonly<{ upstreamModel: string; provider: Readonly<{ baseUrl: string }> }>;
}>;

const ASKED: Conversation['messages'] = [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];
const SENT = [{ role: 'user', content: 'Hi' }];

function encode(change: Partial<Conversation>, setting: Setting = {}) {
  const conversation: Conversation = { messages: ASKED, tools: [], sampling: {}, ...change };
  const request = {
    operation: 'chat',
    format: 'messages',
    isStream: false,
    isThinkingEnabled: false,
    plugins: [],
    body: { model: 'x', system: 'must not be read' },
    toConversation: () => deepFreeze(conversation),
    ...setting.request,
  };
  const model = { supportedParameters: null, ...setting.model, traits: { ...traits, ...setting.traits } };
  const provider = { baseUrl: 'https://x.test/v1' };
  const candidate = { upstreamModel: 'up-1', operation: 'chat', model, provider, ...setting.route };
  const call = encodeChatRequest(request as unknown as ConversationRequest, candidate as unknown as Candidate);
  expect(call.path).toBe('/chat/completions');
  return JSON.parse(String(call.body));
}

const messagesOf = (messages: readonly Message[], family: Partial<FamilyTraits> = {}) =>
  encode({ messages }, { traits: family }).messages;

const text = (value: string, cacheControl?: object) => ({
  type: 'text' as const,
  text: value,
  ...(cacheControl === undefined ? {} : { cacheControl: { ...cacheControl } }),
});
const image = { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'iVBO' } } as const;
const MARK = { type: 'ephemeral' };

test('CHAT-22 a plain conversation has its model and messages and nothing else', () => {
  const messages: Message[] = [
    { role: 'system', parts: [text('Be brief.')] },
    { role: 'user', parts: [text('Hi')], name: 'ann' },
  ];
  expect(encode({ messages })).toEqual({
    model: 'up-1',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi', name: 'ann' },
    ],
  });
});

describe('content', () => {
  test('several texts are one string, but a list for the family that is known to take it', () => {
    const messages: Message[] = [{ role: 'user', parts: [text('a'), text('b')] }];
    expect(messagesOf(messages)).toEqual([{ role: 'user', content: 'a\n\nb' }]);
    const list = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    expect(messagesOf(messages, OPENAI)).toEqual([{ role: 'user', content: list }]);
  });

  test('CHAT-29 CHAT-30 CHAT-31 CHAT-32 every kind of part, in order', () => {
    const parts = [
      { ...image, detail: 'low' },
      text('look'),
      { type: 'image', source: { kind: 'url', url: 'https://a.example/b.png' } },
      { type: 'file', source: { kind: 'base64', mediaType: 'application/pdf', data: 'JVBERi0' }, filename: 'x.pdf' },
      { type: 'file', source: { kind: 'base64', mediaType: 'text/plain', data: 'Z3LDvMOf' } },
      { type: 'audio', data: 'UklG', format: 'wav' },
      { type: 'video', source: { kind: 'url', url: 'https://a.example/c.mp4' } },
    ] as const;
    expect(messagesOf([{ role: 'user', parts }])[0].content).toEqual([
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO', detail: 'low' } },
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
      { type: 'file', file: { filename: 'x.pdf', file_data: 'data:application/pdf;base64,JVBERi0' } },
      { type: 'text', text: 'grüß' },
      { type: 'input_audio', input_audio: { data: 'UklG', format: 'wav' } },
      { type: 'video_url', video_url: { url: 'https://a.example/c.mp4' } },
    ]);
  });

  test('CHAT-40 markers go to the family that caches by them and to no other', () => {
    const messages: Message[] = [
      { role: 'system', parts: [text('a'), text('b', MARK)] },
      { role: 'user', parts: [{ ...image, cacheControl: MARK }] },
    ];
    const tools = [{ name: 'f', parameters: { type: 'object' }, cacheControl: MARK }];
    const marked = encode({ messages, tools }, { traits: CLAUDE });
    expect(marked.messages[0].content).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b', cache_control: MARK },
    ]);
    expect(marked.messages[1].content[0].cache_control).toEqual(MARK);
    expect(marked.tools[0].cache_control).toEqual(MARK);
    for (const family of [OPENAI, {}]) {
      expect(JSON.stringify(encode({ messages, tools }, { traits: family }))).not.toContain('cache_control');
    }
    expect(messagesOf(messages)[0].content).toBe('a\n\nb');
  });
});

describe('tools', () => {
  const calls = (...ids: string[]) =>
    ids.map((id) => ({ type: 'tool-call', id, name: 'f', argumentsText: `{"id": "${id}"}` }) as const);
  const result = (callId: string, ...content: readonly (ReturnType<typeof text> | typeof image)[]) =>
    ({ type: 'tool-result', callId, content, isError: false }) as const;

  test('TOOL-07 calls and results, thinking left out', () => {
    const thought = { type: 'reasoning', text: 'hm', signature: 's' } as const;
    const encoded = messagesOf([
      { role: 'assistant', parts: [thought, ...calls('a', 'b')] },
      { role: 'tool', parts: [result('a', text('1'), text('2')), result('b')] },
      { role: 'assistant', parts: [thought] },
      { role: 'assistant', parts: [text('Do'), text('ne.')] },
    ]);
    expect(encoded).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'f', arguments: '{"id": "a"}' } },
          { id: 'b', type: 'function', function: { name: 'f', arguments: '{"id": "b"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: '1\n\n2' },
      { role: 'tool', tool_call_id: 'b', content: '' },
      { role: 'assistant', content: 'Done.' },
    ]);
  });

  test('TOOL-07 the result of a tool that failed says so, once', () => {
    const said = (words: string) => {
      const failed = { ...result('a', text(words)), isError: true } as const;
      return messagesOf([
        { role: 'assistant', parts: calls('a') },
        { role: 'tool', parts: [failed] },
      ])[1].content;
    };
    expect(said('exit code 7')).toBe('Error: exit code 7');
    expect(said('')).toBe('Error');
    for (const words of ['Error: no such file', '<tool_use_error>denied</tool_use_error>', '**Failed** to read']) {
      expect(said(words)).toBe(words);
    }
  });

  test('a call that was streamed without arguments is a call without parameters', () => {
    const part = { type: 'tool-call', id: 'a', name: 'f', argumentsText: '' } as const;
    expect(messagesOf([{ role: 'assistant', parts: [part] }])[0].tool_calls[0].function.arguments).toBe('{}');
  });

  test('images among the results follow after all of them, with what the user says next', () => {
    const results: Message[] = [
      { role: 'assistant', parts: calls('a', 'b') },
      { role: 'tool', parts: [result('a', image)] },
      { role: 'tool', parts: [result('b', text('done'))] },
    ];
    const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } };
    const toolMessages = [
      { role: 'tool', tool_call_id: 'a', content: expect.stringMatching(/next message/) },
      { role: 'tool', tool_call_id: 'b', content: 'done' },
    ];
    expect(messagesOf(results).slice(1)).toEqual([...toolMessages, { role: 'user', content: [picture] }]);
    expect(messagesOf([...results, { role: 'user', parts: [text('And?')] }]).slice(1)).toEqual([
      ...toolMessages,
      { role: 'user', content: [picture, { type: 'text', text: 'And?' }] },
    ]);
    expect(messagesOf([...results, { role: 'assistant', parts: [text('ok')] }]).slice(3)).toEqual([
      { role: 'user', content: [picture] },
      { role: 'assistant', content: 'ok' },
    ]);
  });

  test('TOOL-01 TOOL-04 TOOL-09 definitions and choice', () => {
    const tools = [
      { name: 'f', description: 'does', parameters: { type: 'object', properties: { a: {} } }, strict: true },
      { name: 'g', parameters: { type: 'object' } },
    ];
    const conversation = { tools, toolChoice: { name: 'g' }, isParallelToolCalls: false };
    const expected = {
      tools: [
        { type: 'function', function: tools[0] },
        { type: 'function', function: tools[1] },
      ],
      tool_choice: { type: 'function', function: { name: 'g' } },
    };
    expect(encode(conversation)).toEqual({ model: 'up-1', messages: SENT, ...expected });
    expect(encode(conversation, { traits: OPENAI })).toMatchObject({ ...expected, parallel_tool_calls: false });
    expect(encode({ tools, toolChoice: 'required' }).tool_choice).toBe('required');
    expect(encode({ toolChoice: 'auto', isParallelToolCalls: true }, { traits: OPENAI })).toEqual({
      model: 'up-1',
      messages: SENT,
    });
  });
});

test('TOOL-10 TOOL-11 the form of the answer', () => {
  expect(encode({ responseFormat: { type: 'text' } }).response_format).toBeUndefined();
  expect(encode({ responseFormat: { type: 'json-object' } }).response_format).toEqual({ type: 'json_object' });
  const definition = { name: 'n', schema: { type: 'object' }, strict: false, description: 'd' };
  expect(encode({ responseFormat: { type: 'json-schema', ...definition } }).response_format).toEqual({
    type: 'json_schema',
    json_schema: definition,
  });
});

test('CHAT-07 CHAT-09 CHAT-10 CHAT-23 sampling and limits, by the names that the family knows', () => {
  const sampling = {
    temperature: 0,
    topP: 0.5,
    topK: 7,
    frequencyPenalty: 0,
    presencePenalty: -1,
    seed: 0,
    stop: ['x'],
  };
  const conversation = { sampling, outputTokensMax: 9, endUserId: 'u' };
  const known = { temperature: 0, top_p: 0.5, frequency_penalty: 0, presence_penalty: -1, seed: 0, stop: ['x'] };
  const head = { model: 'up-1', messages: SENT };
  expect(encode(conversation)).toEqual({ ...head, ...known, top_k: 7, max_tokens: 9 });
  expect(encode(conversation, { traits: OPENAI })).toEqual({ ...head, ...known, max_completion_tokens: 9, user: 'u' });
});

test('CHAT-12 how likely the tokens were is asked of those who are known to tell', () => {
  const ask = (logprobCount: number, setting: Setting) => encode({}, { ...setting, request: { logprobCount } });
  expect(ask(3, { traits: OPENAI })).toMatchObject({ logprobs: true, top_logprobs: 2 });
  expect(ask(1, { model: { supportedParameters: ['logprobs'] } })).toEqual({
    ...{ model: 'up-1', messages: SENT, logprobs: true },
  });
  expect(ask(3, {})).toEqual({ model: 'up-1', messages: SENT });
  expect(ask(3, { traits: OPENAI, model: { supportedParameters: ['tools'] } })).toEqual({
    model: 'up-1',
    messages: SENT,
  });
});

test('STRM-04 a stream is always asked for its usage', () => {
  expect(encode({}, { request: { isStream: true } })).toMatchObject({
    stream: true,
    stream_options: { include_usage: true },
  });
});

describe('thinking', () => {
  const effortOf = (reasoning: Conversation['reasoning'], setting: Setting = {}) =>
    encode({ reasoning }, setting).reasoning_effort;

  test.each([
    [{ effort: 'low' }, 'low'],
    [{ effort: 'xhigh' }, 'xhigh'],
    [{ effort: 'high', tokensMax: 100 }, 'high'],
    [{ tokensMax: 1024 }, 'low'],
    [{ tokensMax: 10_000, isEnabled: true }, 'medium'],
    [{ tokensMax: 31_999 }, 'high'],
    [{ isEnabled: true }, undefined],
    [{ isEnabled: false, tokensMax: 5000 }, undefined],
  ])('CHAT-16 CHAT-20 %j asks for %s', (reasoning, effort) => {
    expect(effortOf(reasoning)).toBe(effort);
  });

  test.each([
    ['gpt-5.6-terra', 'max', 'xhigh'],
    ['openai/gpt-5.4-mini', 'xhigh', 'xhigh'],
    ['gpt-5.1-codex-max', 'xhigh', 'xhigh'],
    ['gpt-5.1', 'high', 'high'],
    ['gpt-5-mini-2025-08-07', 'high', 'high'],
    ['o3', 'high', 'high'],
    ['openai/gpt-oss-120b', 'high', 'high'],
    ['gpt-5.2-chat-latest', undefined, undefined],
    ['gpt-5-pro', undefined, undefined],
    // Nothing is known of these.
    ['glm-5', 'high', 'xhigh'],
  ])('CHAT-20 the highest efforts are asked of %s as %s and %s', (upstreamModel, max, xhigh) => {
    const route = { upstreamModel, provider: { baseUrl: 'https://x.test/v1' } };
    expect(effortOf({ effort: 'max' }, { route })).toBe(max);
    expect(effortOf({ effort: 'xhigh' }, { route })).toBe(xhigh);
    // A deployment may have any name.
    const named = { route: { ...route, upstreamModel: 'mine' }, model: { id: `openai/${upstreamModel}` } };
    if (!upstreamModel.startsWith('glm')) expect(effortOf({ effort: 'max' }, named)).toBe(max);
  });

  test('CHAT-20 a vendor that takes every word gets the highest', () => {
    const at = (upstreamModel: string, baseUrl: string) =>
      effortOf({ effort: 'max' }, { route: { upstreamModel, provider: { baseUrl } } });
    expect(at('deepseek-v4-pro', 'https://api.deepseek.com')).toBe('max');
    expect(at('z-ai/glm-5', 'https://openrouter.ai/api/v1')).toBe('max');
    expect(at('deepseek-v4-pro', 'https://x.test/v1')).toBe('high');
  });

  test('CHAT-20 models of xAI that refuse to be told how much to think are not told', () => {
    const at = (upstreamModel: string, baseUrl = 'https://api.x.ai/v1') =>
      effortOf({ effort: 'high' }, { route: { upstreamModel, provider: { baseUrl } } });
    for (const told of ['grok-3-mini', 'grok-4', 'grok-4.3', 'grok-5']) expect(at(told)).toBe('high');
    for (const untold of ['grok-4-fast-reasoning', 'grok-code-fast-1', 'grok-3']) expect(at(untold)).toBeUndefined();
    expect(at('x-ai/grok-4-fast', 'https://openrouter.ai/api/v1')).toBe('high');
  });

  test('a model that is known not to think is not asked to', () => {
    const thinking = { supportedParameters: ['tools', 'reasoning'] };
    expect(effortOf({ effort: 'low' }, { model: { supportedParameters: ['tools'] } })).toBeUndefined();
    expect(effortOf({ effort: 'low' }, { model: thinking })).toBe('low');
  });

  test('CHAT-19 BILL-11 where thinking costs more, it is on exactly when it is priced so', () => {
    for (const isThinkingEnabled of [true, false]) {
      const setting = { traits: { isThinkingOptIn: true }, request: { isThinkingEnabled } };
      expect(encode({ reasoning: { effort: 'high' } }, setting)).toEqual({
        model: 'up-1',
        messages: SENT,
        enable_thinking: isThinkingEnabled,
      });
    }
  });

  describe('that comes back', () => {
    const thought = { type: 'reasoning', text: 'Where is it?' } as const;
    const call = { type: 'tool-call', id: 'a', name: 'f', argumentsText: '{}' } as const;
    const messages: Message[] = [
      { role: 'assistant', parts: [thought, call] },
      { role: 'assistant', parts: [{ ...thought, signature: 'of another vendor' }, text('There.')] },
      { role: 'assistant', parts: [{ ...thought, encryptedContent: 'ENC', itemId: 'rs_1' }, call] },
    ];
    const thoughtsAt = (upstreamModel: string, baseUrl: string) =>
      encode({ messages }, { route: { upstreamModel, provider: { baseUrl } } }).messages.map(
        (message: { reasoning_content?: string }) => message.reasoning_content,
      );

    test('is sent to models that go on from it, and to no other', () => {
      expect(thoughtsAt('gpt-oss-120b', 'https://host.test/v1')).toEqual([undefined, undefined, undefined]);
      expect(thoughtsAt('deepseek-r1-distill-llama-70b', 'https://host.test/v1')[0]).toBeUndefined();
      for (const model of ['deepseek-ai/DeepSeek-V4-Pro', 'moonshotai/Kimi-K2.6']) {
        expect(thoughtsAt(model, 'https://host.test/v1')).toEqual(['Where is it?', undefined, undefined]);
      }
    });

    test('is never missing where its vendor would refuse the call without it', () => {
      for (const host of ['api.deepseek.com', 'api.moonshot.ai', 'api.moonshot.cn']) {
        const model = host.includes('deepseek') ? 'deepseek-v4-flash' : 'kimi-k2.6';
        expect(thoughtsAt(model, `https://${host}/v1`)).toEqual(['Where is it?', '', '']);
      }
      expect(thoughtsAt('moonshot-v1-8k', 'https://api.moonshot.ai/v1')[0]).toBeUndefined();
    });
  });

  test('CHAT-18 a model that thinks unless told not to is told so, where the vendor itself is asked', () => {
    const toldAt = (upstreamModel: string, baseUrl: string) =>
      encode({ reasoning: { isEnabled: false } }, { route: { upstreamModel, provider: { baseUrl } } }).thinking;
    expect(toldAt('deepseek-v4-flash', 'https://api.deepseek.com/v1')).toEqual({ type: 'disabled' });
    expect(toldAt('kimi-k2.6', 'https://api.moonshot.ai/v1')).toEqual({ type: 'disabled' });
    expect(toldAt('kimi-k2-thinking', 'https://api.moonshot.ai/v1')).toBeUndefined();
    expect(toldAt('deepseek-v4-flash', 'https://host.test/v1')).toBeUndefined();
    expect(toldAt('gpt-4o', 'https://api.openai.com/v1')).toBeUndefined();
  });

  test('CHAT-21 a family that always thinks is not asked to stop', () => {
    expect(effortOf({ effort: 'none' }, { traits: { isReasoningMandatory: true } })).toBeUndefined();
  });
});
