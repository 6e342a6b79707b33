// An answer counts only when it is complete; a usage record only when every count in it is valid.

import { describe, expect, test } from 'vitest';
import { readUsage } from './convert-usage.ts';
import { decodeError } from './decode-error.ts';
import { decodeResponse } from './decode-response.ts';
import { toAnswer } from './to-answer.ts';

const decode = (value: unknown) => decodeResponse(Buffer.from(JSON.stringify(value)));
const usage = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 3 },
  total_tokens: 17,
};
const message = { type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'Hi' }] };
const call = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{"a": 1.0}' };
const thought = {
  type: 'reasoning',
  id: 'rs_1',
  encrypted_content: 'ENC',
  summary: [
    { type: 'summary_text', text: 'a' },
    { type: 'summary_text', text: 'b' },
  ],
};

describe('answers', () => {
  test.each([
    [{ status: 'completed', output: [message] }, 'stop'],
    [{ status: 'completed', output: [call] }, 'tool_calls'],
    [
      { status: 'completed', output: [{ type: 'custom_tool_call', call_id: 'c', name: 'f', input: 'x' }] },
      'tool_calls',
    ],
    [{ output: [message] }, 'stop'],
    [{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output: [] }, 'length'],
    [{ status: 'incomplete', incomplete_details: { reason: 'content_filter' }, output: [] }, 'content_filter'],
  ])('%j ended by %s', (json, finishReason) => {
    expect(decode({ ...json, usage })).toMatchObject({ kind: 'answer', finishReason, usage: { promptTokens: 10 } });
  });

  test('become parts in their order, with what only this vendor can read', () => {
    const custom = { type: 'custom_tool_call', call_id: 'd', name: 'patch', input: '+ "x"' };
    const picture = { type: 'image_generation_call', result: 'aGk=' };
    const items = [thought, { type: 'web_search_call' }, message, picture, call, custom];
    expect(toAnswer({ status: 'completed', output: items, usage })).toEqual({
      parts: [
        { type: 'reasoning', text: 'a\n\nb', itemId: 'rs_1', encryptedContent: 'ENC' },
        { type: 'block', block: { type: 'web_search_call' } },
        { type: 'text', text: 'Hi' },
        { type: 'tool-call', id: 'c', name: 'f', argumentsText: '{"a": 1.0}' },
        { type: 'tool-call', id: 'd', name: 'patch', argumentsText: '{"input":"+ \\"x\\""}', plainInput: '+ "x"' },
      ],
      finishReason: 'tool_calls',
      nativeFinishReason: 'completed',
      stopSequence: null,
      usage: expect.objectContaining({ promptTokens: 10, cachedTokens: 4, completionTokens: 7, reasoningTokens: 3 }),
    });
  });

  test.each([
    ['no JSON', Buffer.from('<html>'), 'malformed'],
    ['no object', Buffer.from('[]'), 'malformed'],
    ['no output', Buffer.from('{"status":"completed"}'), 'malformed'],
    ['items that are none', Buffer.from('{"output":[5]}'), 'malformed'],
    ['an answer that is still to come', Buffer.from('{"status":"queued","output":[]}'), 'malformed'],
    ['a status that is no word', Buffer.from('{"status":{"toString":1},"output":[]}'), 'malformed'],
    ['nesting without end', Buffer.from(`{"output":${'['.repeat(9_999)}`), 'malformed'],
    ['an error', Buffer.from('{"error":{"code":"server_error"}}'), 'unavailable'],
    ['a failed response', Buffer.from('{"status":"failed","output":[],"error":null}'), 'unavailable'],
    ['a limit', Buffer.from('{"status":"failed","error":{"code":"rate_limit_exceeded"}}'), 'rate_limited'],
  ])('%s is a failure', (_, body, kind) => {
    expect(decodeResponse(body)).toMatchObject({ kind: 'failure', failure: { kind } });
  });
});

describe('usage', () => {
  const unitsOf = (response: object) => {
    const decoded = decodeResponse(
      Buffer.from(JSON.stringify({ status: 'completed', output: [], usage, ...response })),
    );
    return decoded.kind === 'answer' ? (decoded.usage?.units ?? {}) : null;
  };

  test('BILL-01 every search is counted, of the web and of posts', () => {
    const output = ['web_search_call', 'x_search_call', 'x_search_call', 'message'].map((type) => ({ type }));
    expect(unitsOf({ output })).toEqual({ webSearches: 3 });
  });

  test('BILL-01 opening a page that was found, or looking for something in it, is no search', () => {
    const output = ['search', 'open_page', 'find_in_page', 'search'].map((type) => ({
      ...{ type: 'web_search_call', action: { type } },
    }));
    expect(unitsOf({ output })).toEqual({ webSearches: 2 });
  });

  test('BILL-01 a shell counts where the provider ran it, which shows in its output', () => {
    const call = { type: 'shell_call', action: { commands: ['ls'] } };
    expect(unitsOf({ output: [call] })).toEqual({});
    expect(unitsOf({ output: [call, { type: 'shell_call_output', output: [] }] })).toEqual({ hostedTools: 1 });
  });

  test('BILL-01 the searches that the provider counts itself are believed, unless it counts none', () => {
    const output = [{ type: 'web_search_call', action: { type: 'search', queries: ['a', 'b'] } }];
    const counted = (num_requests: unknown) => ({ output, tool_usage: { web_search: { num_requests } } });
    expect(unitsOf(counted(2))).toEqual({ webSearches: 2 });
    for (const none of [0, -5, 1.5, '2', null]) expect(unitsOf(counted(none))).toEqual({ webSearches: 1 });
  });

  test('BILL-01 what was fetched of posts is counted as it is billed: a profile as two searches', () => {
    const tried = { type: 'custom_tool_call', name: 'x_keyword_search', input: '{}', call_id: 'c', id: 'i' };
    const output = [tried, tried, { type: 'web_search_call', action: { type: 'open_page' } }];
    const counted = (details: object) => ({ output, usage: { ...usage, server_side_tool_usage_details: details } });
    const fetched = { x_search_calls: 2, x_posts_fetched: 44, x_users_fetched: 3 };
    expect(unitsOf(counted({ ...fetched, web_search_calls: 1 }))).toEqual({ webSearches: 51 });
    expect(unitsOf(counted({ web_search_calls: 1, x_search_calls: 2, code_interpreter_calls: 1 }))).toEqual({
      ...{ webSearches: 3, hostedTools: 1 },
    });
    expect(unitsOf(counted({ web_search_calls: 0 }))).toEqual({});
    expect(unitsOf(counted({ web_search_calls: -1, x_posts_fetched: 2 ** 50 }))).toEqual({ webSearches: 2 ** 40 });
  });

  test('has the names of this format and the meaning of all', () => {
    expect(readUsage(usage)).toMatchObject({
      promptTokens: 10,
      cachedTokens: 4,
      completionTokens: 7,
      reasoningTokens: 3,
    });
  });

  test.each([null, undefined, 5, 'x', { input_tokens: -1 }, { output_tokens: 1.5 }, { input_tokens: '5' }])(
    '%j is none',
    (value) => {
      expect(readUsage(value)).toBeNull();
    },
  );
});

test('a refused output limit has its own code, and everything else the usual one', () => {
  const refuse = (param: string) =>
    decodeError(400, {}, Buffer.from(JSON.stringify({ error: { message: 'no', type: 'x', param, code: null } })));
  expect(refuse('max_output_tokens')).toMatchObject({ kind: 'rejected', code: 'max_tokens_invalid' });
  expect(refuse('input')).toMatchObject({ kind: 'rejected', code: 'unknown_4xx' });
  expect(decodeError(429, {}, Buffer.from('{}'))).toMatchObject({ kind: 'rate_limited' });
});
