// Every number a caller can send is either a usable quantity or refused with the code that its field has.

import { expect, test } from 'vitest';
import { parseChatRequest } from './parse-request.ts';

const minimal = { model: 'acme/coder-1', messages: [{ role: 'user', content: 'Hi' }] };
const parseWith = (fields: object) => parseChatRequest({ ...minimal, ...fields });
const refusal = (code: string) => expect.objectContaining({ code });

type Row = readonly [field: string, accepted: readonly unknown[], refused: readonly unknown[], code?: string];

const rows: readonly Row[] = [
  ['CHAT-05 temperature', [0, 0.7, 2], [-0.1, 2.1, '1', true]],
  ['CHAT-06 max_tokens', [1, 4096, 1e9], [0, -1, 1.5, '5', 1e9 + 1], 'max_tokens_invalid'],
  ['CHAT-07 max_completion_tokens', [1, 4096], [0, -1, 1.5, true], 'max_tokens_invalid'],
  ['CHAT-08 n', [1, 128], [0, -1, 1.5, 129, '2'], 'invalid_n'],
  ['CHAT-09 seed', [0, -5, 2 ** 53, 9007199254740993n, -(2n ** 63n)], [1.5, '1', 2n ** 64n, 1e30]],
  ['CHAT-09 stop', ['x', [], ['a', 'b'], Array(16).fill('s')], [1, [1], {}, Array(17).fill('s')]],
  ['CHAT-09 top_p', [0, 0.5, 1], [-0.1, 1.1, '1']],
  ['CHAT-09 top_k', [0, 40], [-1, 1.5, '40', 2 ** 53]],
  ['CHAT-09 user', ['u-1', ''], [1, {}, ['u']]],
  ['CHAT-10 frequency_penalty', [-2, 2], [-2.1, 2.1, '0']],
  ['CHAT-10 presence_penalty', [-2, 2], [-2.1, 2.1, '0']],
  ['CHAT-10 repetition_penalty', [0.1, 2], [0, -1, 2.1, '1']],
  ['CHAT-10 min_p', [0, 1], [-0.1, 1.1]],
  ['CHAT-10 top_a', [0, 1], [-0.1, 1.1]],
  ['CHAT-11 logit_bias', [{}, { 50256: -100, 7: 100 }], [[], 'x', { 7: 101 }, { 7: '1' }, { seven: 1 }, { 7: null }]],
  ['CHAT-12 logprobs', [true, false], ['true', 1]],
  ['CHAT-14 modalities', [[], ['text'], ['image', 'text']], ['image', ['video'], [1], {}]],
  ['CHAT-14 image_config', [{}, { strength: 0.5 }], ['x', [1], 1]],
  ['CHAT-16 reasoning_effort', ['low', 'medium', 'high', 'ultra'], [1, {}, true]],
  [
    'CHAT-16 reasoning',
    [{}, { effort: 'xhigh', max_tokens: 10, exclude: false }, { effort: 'newer' }],
    ['high', [], 1],
  ],
  ['CHAT-16 reasoning', [], [{ effort: 1 }, { max_tokens: 1.5 }, { max_tokens: -1 }, { exclude: 'no' }]],
  ['CHAT-18 thinking', [{ type: 'enabled', budget_tokens: 9 }, { type: 'disabled' }, { type: 'adaptive' }], ['on', {}]],
  [
    'CHAT-18 thinking',
    [],
    [
      { type: 'enabled', budget_tokens: -1 },
      { type: 'enabled', budget_tokens: '9' },
    ],
  ],
  ['CHAT-18 enable_thinking', [true, false], ['true', 1]],
  ['TOOL-09 parallel_tool_calls', [true, false], ['no', 0]],
  ['TOOL-13 structured_outputs', [true, false], ['no', 0]],
  ['ROUTE-14 route', ['fallback'], [1, {}]],
  ['CHAT-01 stream_options', [{}, { include_usage: false }], ['x', [], 1]],
];

for (const [title, accepted, refused, code = 'http_400'] of rows) {
  const field = title.slice(title.lastIndexOf(' ') + 1);

  test(`${title} accepts what is in range and forwards it unchanged`, () => {
    for (const value of accepted) expect(parseWith({ [field]: value }).body[field]).toBe(value);
  });

  test(`${title} refuses the rest with ${code}`, () => {
    for (const value of refused) expect(() => parseWith({ [field]: value })).toThrow(refusal(code));
  });
}

test('CHAT-12 top_logprobs is 0 to 20 and needs logprobs', () => {
  expect(parseWith({ logprobs: true, top_logprobs: 20 }).body.top_logprobs).toBe(20);
  expect(parseWith({ logprobs: true, top_logprobs: 0 }).body.top_logprobs).toBe(0);
  for (const value of [21, -1, 1.5, '5']) {
    expect(() => parseWith({ logprobs: true, top_logprobs: value })).toThrow(refusal('http_400'));
  }
  expect(() => parseWith({ top_logprobs: 5 })).toThrow(refusal('http_400'));
  expect(() => parseWith({ logprobs: false, top_logprobs: 5 })).toThrow(refusal('http_400'));
});

test('CHAT-11 at most 1024 biases', () => {
  const biases = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, token) => [token, 1]));
  expect(parseWith({ logit_bias: biases(1_024) }).modelName).toBe('acme/coder-1');
  expect(() => parseWith({ logit_bias: biases(1_025) })).toThrow(refusal('http_400'));
});

// The values are JSON text, because only the parser turns a number beyond all bounds into infinity.
const hostileNumbers = [
  '-1',
  '0',
  '-0',
  '1e9',
  '1e308',
  '1e999',
  '-1e999',
  '2147483648',
  '4294967296',
  '9007199254740993',
  '9223372036854775808',
  '18446744073709551616',
  '0.5',
  '1.5',
  '-0.0001',
  '1e-320',
  '"1"',
  '"1e3"',
  '"NaN"',
  '"Infinity"',
  '"-1"',
  '"0x10"',
  '"١٢"',
  '"１２"',
  '" 1"',
  '""',
  'null',
  'true',
  'false',
  '[]',
  '[1]',
  '[[1]]',
  '{}',
  '{"valueOf":1}',
  '{"toString":1}',
  '1e15',
  '123456789012345678',
  '128',
  '129',
  '1e2',
  '100.0',
];

const quantities = [
  'max_tokens',
  'max_completion_tokens',
  'n',
  'seed',
  'top_k',
  'top_logprobs',
  'temperature',
  'top_p',
  'min_p',
  'top_a',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'logit_bias',
  'stop',
];

test.each(quantities)('NUM-1 every hostile value of %s is refused with 400 or becomes a usable quantity', (field) => {
  for (const value of hostileNumbers) {
    const body = JSON.parse(`{"model":"m/1","messages":[{"role":"user","content":"x"}],"${field}":${value}}`);
    try {
      const { outputTokensMax, choiceCount, promptTokensEstimate } = parseChatRequest(body);
      expect(outputTokensMax === null || (Number.isSafeInteger(outputTokensMax) && outputTokensMax > 0)).toBe(true);
      expect(Number.isSafeInteger(choiceCount) && choiceCount >= 1 && choiceCount <= 128).toBe(true);
      expect(Number.isSafeInteger((outputTokensMax ?? 1) * choiceCount)).toBe(true);
      expect(Number.isSafeInteger(promptTokensEstimate) && promptTokensEstimate > 0).toBe(true);
    } catch (error) {
      expect(error).toMatchObject({ name: 'ApiError', status: 400 });
    }
  }
});

test('NUM-1 an infinite max_tokens is max_tokens_invalid', () => {
  const body = JSON.parse('{"model":"m/1","messages":[{"role":"user","content":"x"}],"max_tokens":1e999}');
  expect(() => parseChatRequest(body)).toThrow(refusal('max_tokens_invalid'));
});
