// Who copied the protocol gets functions, and of those only what is allowed; the vendor gets what the caller sent.

import { describe, expect, test } from 'vitest';
import { sourcedBody } from '../../../../test/json-source.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { ConversationRequest } from '../../../canonical/request.ts';
import { encodeChatRequest } from './encode-request.ts';

type Place = Readonly<{ isVendor?: boolean; baseUrl?: string; name?: string }>;

function encode(body: JsonObject, { isVendor = false, baseUrl = 'https://up.test/v1', name = 'm-1' }: Place = {}) {
  const traits = { family: 'x', keepsOpenAiOnlyFields: isVendor };
  const candidate = {
    upstreamModel: name,
    operation: 'chat',
    model: { id: `a/${name}`, traits },
    provider: { baseUrl },
  };
  const sent = sourcedBody({ model: 'a/m-1', messages: [{ role: 'user', content: 'Hi' }], ...body });
  const request = { operation: 'chat', format: 'chat', isStream: false, plugins: [], ...sent };
  const call = encodeChatRequest(request as unknown as ConversationRequest, candidate as unknown as Candidate);
  return JSON.parse(String(call.body));
}

const look = { type: 'function', function: { name: 'look', parameters: { type: 'object' }, unknown: 1 } };
const patch = {
  type: 'custom',
  custom: { name: 'patch', description: 'Edits.' },
  cache_control: { type: 'ephemeral' },
};
const names = (tools: readonly JsonObject[]) => tools.map((tool) => (tool.function as JsonObject).name);
const allow = (mode: string, ...tools: object[]) => ({ type: 'allowed_tools', allowed_tools: { mode, tools } });
const lookName = { type: 'function', function: { name: 'look' } };
const patchName = { type: 'custom', custom: { name: 'patch' } };

describe('tools that take plain text', () => {
  const called = {
    role: 'assistant',
    content: null,
    reasoning_content: 'Hm.',
    tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'patch', input: 'a "b"\n' } }],
  };
  const body = {
    tools: [look, patch],
    tool_choice: patchName,
    messages: [{ role: 'developer', content: 'x' }, called],
  };

  test('are functions with one text, and so are their calls and their choice', () => {
    const sent = encode(body);
    expect(sent.tools).toEqual([
      look,
      {
        type: 'function',
        function: {
          name: 'patch',
          description: 'Edits.',
          parameters: expect.objectContaining({ required: ['input'] }),
        },
        cache_control: { type: 'ephemeral' },
      },
    ]);
    expect(sent.tool_choice).toEqual({ type: 'function', function: { name: 'patch' } });
    expect(sent.messages).toEqual([
      { role: 'system', content: 'x' },
      {
        ...called,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'patch', arguments: '{"input":"a \\"b\\"\\n"}' } }],
      },
    ]);
  });

  test('of an earlier turn too, where none is offered any more', () => {
    expect(encode({ messages: [called] }).messages[0].tool_calls[0].type).toBe('function');
  });

  test.each<[string, Place]>([
    ['the vendor', { isVendor: true, baseUrl: 'https://api.openai.com/v1' }],
    ['its models at Azure', { isVendor: true, baseUrl: 'https://mine.openai.azure.com' }],
    ['its models behind an address that says nothing', { isVendor: true, baseUrl: 'http://127.0.0.1:4000/v1' }],
  ])('reach %s as they are', (_who, place) => {
    expect(encode(body, place)).toMatchObject(body);
  });

  test.each<[string, Place]>([
    ['a gateway that sells them', { isVendor: true, baseUrl: 'https://openrouter.ai/api/v1' }],
    ['a part of such a gateway', { isVendor: true, baseUrl: 'https://eu.openrouter.ai/api/v1' }],
    ['an open model, at whoever serves it', { isVendor: true, name: 'openai/gpt-oss-120b' }],
  ])('do not reach %s', (_who, place) => {
    expect(names(encode(body, place).tools)).toEqual(['look', 'patch']);
  });
});

describe('TOOL-04 a choice that allows some of the tools', () => {
  const tools = [look, patch];

  test('leaves the others out, and becomes its mode', () => {
    expect(encode({ tools, tool_choice: allow('required', lookName) })).toMatchObject({
      tools: [look],
      tool_choice: 'required',
    });
    const sent = encode({ tools, tool_choice: allow('auto', patchName) });
    expect([names(sent.tools), sent.tool_choice]).toEqual([['patch'], 'auto']);
  });

  test('of none forbids them all', () => {
    expect(encode({ tools: [look], tool_choice: allow('auto') })).toMatchObject({ tools: [look], tool_choice: 'none' });
  });

  test('reaches the vendor as it is', () => {
    const body = { tools, tool_choice: allow('required', lookName) };
    expect(encode(body, { isVendor: true })).toMatchObject(body);
  });
});
