// A 200 counts as an answer only when it contains one.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decodeChatResponse } from './decode-response.ts';

const bytesOf = (name: string) => readFileSync(new URL(`./__fixtures__/${name}.json`, import.meta.url));
const decode = (body: unknown) =>
  decodeChatResponse(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));

test('CHAT-33 CHAT-36 an answer is decoded with its usage and reason', () => {
  const decoded = decodeChatResponse(bytesOf('chat-text'));
  expect(decoded).toMatchObject({
    kind: 'answer',
    finishReason: 'stop',
    usage: { promptTokens: 1_200, completionTokens: 48, cachedTokens: 1_024, reasoningTokens: 16 },
  });
  expect(decoded).toHaveProperty('source.json', JSON.parse(bytesOf('chat-text').toString()));
});

test('TOOL-06 CHAT-41 an answer of tool calls alone, with cache hits counted apart', () => {
  expect(decodeChatResponse(bytesOf('chat-tool-calls'))).toMatchObject({
    kind: 'answer',
    usage: { promptTokens: 300, cachedTokens: 256 },
  });
});

test('BILL-01 a list of what a search has found, beside the choices, stands for one search', () => {
  const answer = { choices: [{ message: { content: 'x' }, finish_reason: 'stop' }], usage: { prompt_tokens: 5 } };
  const found = [{ title: 'A', link: 'https://a.test', media: 'A', refer: 'ref_1' }];
  expect(decode({ ...answer, web_search: found })).toMatchObject({ usage: { units: { webSearches: 1 } } });
  for (const none of [[], null, {}, undefined]) {
    expect(decode({ ...answer, web_search: none })).not.toHaveProperty('usage.units');
  }
});

test('F22 F25 usage that is missing or false leaves the answer standing', () => {
  const choices = [{ message: { content: 'x' } }];
  expect(decode({ choices })).toMatchObject({ kind: 'answer', usage: null, finishReason: null });
  expect(decode({ choices, usage: { prompt_tokens: -5 } })).toMatchObject({ kind: 'answer', usage: null });
});

test('F17 F18 F19 F21 truncated JSON, HTML, nothing, and JSON that is no answer', () => {
  const truncated = bytesOf('chat-text').toString().slice(0, 200);
  const bodies = [truncated, '<html></html>', '', 'null', '[]', '5', '"x"', '{}', '{"choices":[]}', '{"choices":{}}'];
  for (const body of [...bodies, '{"choices":[null]}', '{"choices":[{"text":"x"}]}', '{"choices":[{"message":"x"}]}']) {
    expect(decode(body)).toMatchObject({ kind: 'failure', failure: { kind: 'malformed' } });
  }
});

test('F20 an error under a good status is a failure of the provider', () => {
  expect(decode({ error: { message: 'key sk-proj-CANARY000 is bad', code: 'x' } })).toMatchObject({
    kind: 'failure',
    failure: { kind: 'unavailable', detail: expect.not.stringContaining('CANARY') },
  });
  expect(decode({ error: { code: 429 }, choices: [] })).toMatchObject({ failure: { kind: 'rate_limited' } });
  expect(decode({ error: 'overloaded' })).toMatchObject({ failure: { kind: 'unavailable' } });
  expect(decode({ error: null, choices: [{ message: { content: 'x' } }] }).kind).toBe('answer');
});

test('F20 BILL-01 beside an error one choice that has its words and its end makes an answer', () => {
  const error = { code: 429, message: 'sk-secret' };
  const whole = { message: { content: 'x' }, finish_reason: 'stop' };
  const cut = { message: { content: 'x' }, finish_reason: null };
  expect(decode({ choices: [cut, whole], error }).kind).toBe('answer');
  for (const choices of [[cut], [{ ...whole, message: { role: 'assistant', content: '' } }], [], 'x']) {
    expect(decode({ choices, error })).toMatchObject({ failure: { kind: 'rate_limited' } });
  }
});

test('BILL-01 STRM-08 an error beside choices with words is that of those which have ended with one', () => {
  const error = { code: 429, message: 'sk-secret' };
  const own = { code: 503 };
  const whole = { message: { content: 'x' }, finish_reason: 'stop' };
  const ended = { message: { content: 'x' }, finish_reason: 'network_error' };
  const choices = [whole, { ...ended, error: own }, { ...ended, error: {} }, ended];
  const decoded = decode({ choices, error, usage: { prompt_tokens: 1, completion_tokens: 1 } });
  const told = [undefined, own, error, error];
  expect(decoded).toMatchObject({ kind: 'answer', usage: { completionTokens: 1 } });
  expect(decoded).toHaveProperty(
    'json.choices',
    told.map((said, index) => ({ ...choices[index], ...(said && { error: said }) })),
  );
});

test('F20 STRM-08 a choice that failed before it said anything is a failure of the provider', () => {
  const failed = (message: unknown) => ({ finish_reason: 'error', error: { code: 503 }, message });
  const nothing = { role: 'assistant', content: '', refusal: null, tool_calls: [] };
  expect(decode({ choices: [failed(nothing)] })).toMatchObject({ failure: { kind: 'unavailable' } });
  expect(decode({ choices: [{ finish_reason: 'network_error', message: {} }] }).kind).toBe('failure');
  expect(decode({ choices: [failed({ content: 'half' })] }).kind).toBe('answer');
  expect(decode({ choices: [failed(nothing), { message: { content: 'x' }, finish_reason: 'stop' }] }).kind).toBe(
    'answer',
  );
});

test('ROUTE-12 what the model alone has brought about says nothing against the provider', () => {
  const ended = (words: object) => decode({ choices: [{ message: { content: null }, ...words }] });
  const provoked = { kind: 'failure', failure: { kind: 'unavailable', isProvoked: true } };
  expect(ended({ finish_reason: 'malformed_function_call' })).toMatchObject(provoked);
  expect(ended({ finish_reason: 'error', native_finish_reason: 'UNEXPECTED_TOOL_CALL' })).toMatchObject(provoked);
  expect(ended({ finish_reason: 'timeout' })).toMatchObject(provoked);
  for (const word of ['error', 'network_error', 'insufficient_system_resource']) {
    expect(ended({ finish_reason: word })).not.toHaveProperty('failure.isProvoked');
  }
});

test('hostile nesting is refused before it is parsed', () => {
  const bomb = `{"choices":[{"message":{}}],"x":${'['.repeat(1_000_000)}`;
  expect(decode(bomb)).toMatchObject({
    kind: 'failure',
    failure: { kind: 'malformed', detail: expect.stringContaining('nested') },
  });
});

test('CHAT-36 a choice that a filter has emptied is an answer with its reason', () => {
  const filtered = { index: 0, finish_reason: 'content_filter', content_filter_results: { hate: { filtered: true } } };
  expect(decode({ choices: [filtered] })).toMatchObject({ kind: 'answer', finishReason: 'content_filter' });
  expect(decode({ choices: [{ index: 0, finish_reason: '' }] })).toMatchObject({ kind: 'failure' });
});
