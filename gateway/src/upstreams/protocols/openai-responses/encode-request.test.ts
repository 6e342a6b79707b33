// The upstream gets the caller's own body with the few changes stated here; for a caller of another dialect the body
// contains everything that this format can express.

import { describe, expect, test } from 'vitest';
import { sourcedBody } from '../../../../test/json-source.ts';
import type { Conversation } from '../../../canonical/conversation.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import type { Candidate, FamilyTraits } from '../../../canonical/model.ts';
import type { ConversationRequest } from '../../../canonical/request.ts';
import { parseChatRequest } from '../../../dialects/chat/parse-request.ts';
import { encodeRequest } from './encode-request.ts';

function candidateWith(change: Partial<FamilyTraits> = {}): Candidate {
  const traits = { keepsOpenAiOnlyFields: true, isThinkingOptIn: false, isReasoningMandatory: false, ...change };
  return { upstreamModel: 'up-1', operation: 'chat', model: { traits } } as unknown as Candidate;
}

function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}

function encode(body: JsonObject, change: Partial<FamilyTraits> = {}): JsonObject {
  const sent = sourcedBody({ model: 'acme/x', input: 'Hi', ...body });
  const request = { format: 'responses', isStream: body.stream === true, plugins: body.plugins ?? [], ...sent };
  const call = encodeRequest(request as unknown as ConversationRequest, candidateWith(change));
  expect(call.path).toBe('/responses');
  return JSON.parse(String(call.body));
}

describe('a caller of the same format', () => {
  test('RESP-03 a plain call changes in its model, and is never stored', () => {
    expect(encode({})).toEqual({ model: 'up-1', input: 'Hi', store: false });
  });

  test('VER-06 RESP-06 tools of every kind, items, state and unknown fields arrive unchanged', () => {
    const body = {
      tools: [{ type: 'namespace', name: 'n', tools: [] }, { type: 'web_search' }, { type: 'custom', name: 'c' }],
      input: [
        { type: 'additional_tools', role: 'developer', tools: [] },
        { type: 'message', role: 'developer', content: 'x' },
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA+/=' },
        { type: 'something_new', x: 1 },
      ],
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'low', summary: 'auto', context: 'x' },
      text: { verbosity: 'low' },
      prompt_cache_key: 'k',
      client_metadata: { a: 'b' },
      parallel_tool_calls: false,
      service_tier: 'flex',
      user: 'u',
      unheard_of: 1,
      stream: true,
    };
    expect(encode(body)).toEqual({ model: 'up-1', store: false, ...body });
  });

  test("RESP-08 the gateway's own wishes and what needs a memory stay here", () => {
    const own = {
      models: ['acme/y'],
      provider: { order: ['a'] },
      transforms: [],
      usage: { include: true },
      background: true,
      previous_response_id: null,
      conversation: null,
    };
    expect(encode(own)).toEqual({ model: 'up-1', input: 'Hi', store: false });
  });

  test('TOOL-09 CHAT-23 families other than the inventor’s do not get its fields and its newer role', () => {
    const body = {
      user: 'u',
      parallel_tool_calls: false,
      service_tier: 'auto',
      top_logprobs: 2,
      input: [{ role: 'developer', content: 'x' }],
    };
    expect(encode(body, { keepsOpenAiOnlyFields: false })).toEqual({
      model: 'up-1',
      store: false,
      input: [{ role: 'system', content: 'x' }],
    });
  });

  test('reasoning that this provider cannot open is left out, its own is not', () => {
    const own = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' };
    const open = { type: 'reasoning', id: 'rs_2', summary: [], content: [{ type: 'reasoning_text', text: 'x' }] };
    const bare = { type: 'reasoning', id: 'rs_3', summary: [{ type: 'summary_text', text: 'x' }] };
    const foreign = { type: 'reasoning', id: 'rs_4', summary: [], encrypted_content: 'tg1.abc' };
    expect(encode({ input: [own, open, bare, foreign] }).input).toEqual([own, open]);
  });

  test('hidden reasoning is not asked for, and thinking that cannot be stopped is not stopped', () => {
    expect(encode({ reasoning: { effort: 'low', summary: 'auto', exclude: true } }).reasoning).toEqual({
      effort: 'low',
    });
    expect(encode({ reasoning: { effort: 'none' } }, { isReasoningMandatory: true }).reasoning).toEqual({});
    expect(encode({}, { isThinkingOptIn: true }).enable_thinking).toBe(false);
    expect(encode({ enable_thinking: true }, { isThinkingOptIn: true }).enable_thinking).toBe(true);
  });

  test('CHAT-13 a search that is asked for is allowed where the caller allows only some of its tools', () => {
    const f = { type: 'function', name: 'f' };
    const choice = { type: 'allowed_tools', mode: 'auto', tools: [f] };
    const search = { type: 'web_search' };
    expect(encode({ tools: [f], tool_choice: choice, plugins: [{ id: 'web' }] })).toMatchObject({
      tools: [f, search],
      tool_choice: { ...choice, tools: [f, search] },
    });
    expect(encode({ tools: [f], tool_choice: 'none', plugins: [{ id: 'web' }] }).tool_choice).toBe('none');
  });

  test('an integer that a double cannot hold arrives exactly', () => {
    const sent = sourcedBody({ model: 'acme/x', input: 'Hi', seed: 2n ** 60n });
    const request = { format: 'responses', isStream: false, plugins: [], ...sent } as unknown as ConversationRequest;
    expect(String(encodeRequest(request, candidateWith()).body)).toContain(`"seed":${2n ** 60n}`);
  });
});

describe('a caller of another format', () => {
  const asked: Conversation['messages'] = [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];
  const sentItems = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }];
  const base: Conversation = { messages: asked, tools: [], sampling: {} };
  const encodeFrom = (conversation: Partial<Conversation>, change: Partial<FamilyTraits> = {}): JsonObject => {
    const request = {
      format: 'chat',
      isStream: true,
      plugins: [],
      body: {},
      toConversation: () => freeze({ ...base, ...conversation }),
    };
    return JSON.parse(String(encodeRequest(request as unknown as ConversationRequest, candidateWith(change)).body));
  };

  test('messages become items', () => {
    const { input } = encodeFrom({
      messages: [
        { role: 'system', parts: [{ type: 'text', text: 'Rules' }] },
        {
          role: 'user',
          parts: [
            { type: 'text', text: 'Look' },
            { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AA' } },
            { type: 'file', source: { kind: 'url', url: 'https://a.test/x.pdf' } },
          ],
        },
        {
          role: 'assistant',
          parts: [
            { type: 'reasoning', text: 'Hm', itemId: 'rs_1', encryptedContent: 'ENC' },
            { type: 'reasoning', text: 'elsewhere', signature: 'SIG' },
            { type: 'text', text: 'I look.' },
            { type: 'tool-call', id: 'c', name: 'f', argumentsText: '{"a": 1.0}' },
          ],
        },
        {
          role: 'tool',
          parts: [{ type: 'tool-result', callId: 'c', content: [{ type: 'text', text: 'ok' }], isError: false }],
        },
      ],
    });
    expect(input).toEqual([
      { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'Rules' }] },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look' },
          { type: 'input_image', image_url: 'data:image/png;base64,AA', detail: 'auto' },
          { type: 'input_file', file_url: 'https://a.test/x.pdf' },
        ],
      },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'ENC' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.', annotations: [] }] },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a": 1.0}' },
      { type: 'function_call_output', call_id: 'c', output: 'ok' },
    ]);
  });

  test('TOOL-07 the result of a tool that failed says so', () => {
    const image = { type: 'image', source: { kind: 'url', url: 'https://a.test/x.png' } } as const;
    const failed = (callId: string, ...content: readonly (typeof image | { type: 'text'; text: string })[]) =>
      ({ type: 'tool-result', callId, content, isError: true }) as const;
    const parts = [failed('a', { type: 'text', text: 'no' }), failed('b'), failed('c', image)];
    const { input } = encodeFrom({ messages: [{ role: 'tool', parts }] });
    expect((input as JsonObject[]).map(({ output }) => output)).toEqual([
      'Error: no',
      'Error',
      [
        { type: 'input_text', text: 'Error' },
        { type: 'input_image', image_url: 'https://a.test/x.png', detail: 'auto' },
      ],
    ]);
  });

  test('wishes keep their meaning, and none is added', () => {
    const schema = { type: 'object' };
    const body = encodeFrom({
      tools: [{ name: 'f', parameters: schema }],
      toolChoice: { name: 'f' },
      isParallelToolCalls: false,
      responseFormat: { type: 'json-schema', name: 'n', schema, strict: true },
      reasoning: { effort: 'low' },
      sampling: { temperature: 0, topP: 0.5, stop: ['x'], seed: 1 },
      outputTokensMax: 99,
      endUserId: 'u',
    });
    expect(body).toEqual({
      model: 'up-1',
      input: sentItems,
      tools: [{ type: 'function', name: 'f', parameters: schema, strict: false }],
      tool_choice: { type: 'function', name: 'f' },
      parallel_tool_calls: false,
      text: { format: { type: 'json_schema', name: 'n', schema, strict: true } },
      reasoning: { effort: 'low' },
      include: ['reasoning.encrypted_content'],
      temperature: 0,
      top_p: 0.5,
      max_output_tokens: 99,
      user: 'u',
      store: false,
      stream: true,
    });
    expect(encodeFrom({})).toEqual({ model: 'up-1', input: sentItems, store: false, stream: true });
  });

  describe('CHAT-16 CHAT-22 the effort of a chat call', () => {
    const effortOf = (
      upstreamModel: string,
      body: JsonObject,
      supportedParameters: string[] | null = ['reasoning'],
    ) => {
      const request = parseChatRequest({ model: 'acme/x', messages: [{ role: 'user', content: 'Hi' }], ...body });
      const { model, ...others } = candidateWith();
      const candidate = { ...others, upstreamModel, model: { ...model, supportedParameters } };
      return JSON.parse(String(encodeRequest(request, candidate).body)).reasoning?.effort;
    };

    test.each(['none', 'minimal', 'low', 'xhigh', 'max'])('%s is the caller’s own word', (effort) => {
      expect(effortOf('gpt-5.6', { reasoning_effort: effort })).toBe(effort);
      expect(effortOf('gpt-5.6', { reasoning: { effort } })).toBe(effort);
    });

    test('none is left out where the model refuses it, or may not know it', () => {
      for (const model of ['gpt-5', 'gpt-5-mini-2025-08-07', 'o3', 'openai/o4-mini']) {
        expect(effortOf(model, { reasoning_effort: 'none' })).toBeUndefined();
      }
      expect(effortOf('gpt-4o', { reasoning_effort: 'none' }, null)).toBeUndefined();
      expect(effortOf('gpt-5.6', { reasoning_effort: 'high', reasoning: { enabled: false } })).toBeUndefined();
    });
  });

  test('what chat completions have in common with this format is kept', () => {
    const kept = { prompt_cache_key: 'k', prompt_cache_retention: '24h', safety_identifier: 's' };
    const request = (format: string) => ({
      ...{ format, isStream: false, plugins: [], body: { ...kept, verbosity: 'low', seed: 1 } },
      toConversation: () => ({ ...base, responseFormat: { type: 'json-object' } }),
    });
    const sent = (format: string): JsonObject =>
      JSON.parse(String(encodeRequest(request(format) as unknown as ConversationRequest, candidateWith()).body));
    const plain = { model: 'up-1', input: sentItems, store: false };
    const text = { format: { type: 'json_object' } };
    expect(sent('chat')).toEqual({ ...plain, ...kept, text: { ...text, verbosity: 'low' } });
    expect(sent('messages')).toEqual({ ...plain, text });
  });
});
