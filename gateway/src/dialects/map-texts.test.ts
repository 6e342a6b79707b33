// Reviewers see every word of a conversation with its author, and the walk that replaces words visits the same words.

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../canonical/json.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import { type Passage, passagesOf, saidIn } from '../canonical/passage.ts';
import { parseChatRequest } from './chat/parse-request.ts';
import { parseCompletionRequest } from './completions/parse-request.ts';
import { parseEmbeddingsRequest } from './embeddings/parse-request.ts';
import { parseMessagesRequest } from './messages/parse-request.ts';
import { parseResponsesRequest } from './responses/parse-request.ts';
import { sealReasoning } from './responses/sealed-reasoning.ts';
import { parseSpeechRequest } from './speech/parse-request.ts';

const text = (value: string): JsonObject => ({ type: 'text', text: value });

const chat = parseChatRequest({
  model: 'a/b',
  documents: ['X1', { id: 'X2', data: { title: 'X3', pages: ['X4'] } }],
  tools: [
    {
      type: 'function',
      function: { name: 'f', description: 'T1', parameters: { properties: { p: { description: 'T2' } } } },
    },
  ],
  messages: [
    { role: 'system', content: 'S' },
    { role: 'developer', content: [text('D1'), text('D2')] },
    {
      role: 'user',
      content: [text('U1'), { type: 'image_url', image_url: { url: 'https://example.com/x.png' } }, text('U2')],
      name: 'N',
    },
    {
      role: 'assistant',
      content: 'A',
      tool_calls: [
        { id: 'c', type: 'function', function: { name: 'f', arguments: '{"k":"A1","n":[12345678],"m":7}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c', content: 'R' },
  ],
});

const messages = parseMessagesRequest({
  model: 'a/b',
  max_tokens: 5,
  system: [text('S')],
  tools: [{ name: 'f', description: 'T1', input_schema: { type: 'object' } }],
  messages: [
    {
      role: 'user',
      content: [
        text('U1'),
        { type: 'document', title: 'U2', source: { type: 'text', media_type: 'text/plain', data: 'U3' } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'sealed', signature: 'x' },
        text('A1'),
        { type: 'tool_use', id: 't', name: 'f', input: { q: { r: ['A2'] } } },
        text('A3'),
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't', content: [text('R1'), text('R2')] }, text('U4')],
    },
  ],
});

const responses = parseResponsesRequest({
  model: 'a/b',
  instructions: 'S',
  input: [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'U1' },
        { type: 'input_text', text: 'U2' },
      ],
    },
    { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'sealed' }], encrypted_content: 'x' },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"q":"A1"}' },
    { type: 'function_call_output', call_id: 'c', output: 'R1' },
    { type: 'custom_tool_call', call_id: 'd', name: 'g', input: 'A2 plain' },
    { type: 'custom_tool_call_output', call_id: 'd', output: [{ type: 'input_text', text: 'R2' }] },
    { role: 'assistant', content: [{ type: 'output_text', text: 'A3' }] },
  ],
});

const passages = (...list: readonly (readonly [Passage['origin'], ...string[]])[]): readonly Passage[] =>
  list.map(([origin, ...parts]) => ({ origin, parts }));

describe('FILT-08 thinking that is only text is read, and sealed thinking is not', () => {
  const wordsOf = (request: CanonicalRequest) => passagesOf(request).flatMap(({ parts }) => parts);

  test.each([
    [undefined, true],
    ['', true],
    // As clients get the thinking of models that sign nothing, and what somebody may write in its place.
    ['tollgate.', true],
    ['tollgate.AAAA', true],
    ['tollgate.gemini.c2ln', false],
    [`tollgate.${Buffer.from('["rs_1","ENC"]').toString('base64url')}`, false],
    ['of a vendor', false],
  ])('messages, with the signature %j', (signature, isRead) => {
    const block = { type: 'thinking', thinking: 'T', signature };
    const request = { model: 'a/b', max_tokens: 5, messages: [{ role: 'assistant', content: [block, text('A')] }] };
    expect(wordsOf(parseMessagesRequest(request))).toEqual(isRead ? ['T', 'A'] : ['A']);
  });

  test.each([
    [undefined, true],
    [null, true],
    [sealReasoning({ text: 'hidden' }), true],
    [sealReasoning({ signature: 's' }), false],
    [sealReasoning({ redactedData: 'r' }), false],
    ['of a vendor', false],
  ])('responses, with the encrypted content %j', (encrypted_content, isRead) => {
    const summary = [{ type: 'summary_text', text: 'T' }];
    const content = [{ type: 'reasoning_text', text: 'C' }];
    const item = { type: 'reasoning', id: 'rs_1', summary, content, encrypted_content };
    const request = parseResponsesRequest({ model: 'a/b', input: [item, { role: 'user', content: 'U' }] });
    expect(passagesOf(request)).toEqual(passages(...(isRead ? [['assistant', 'C', 'T'] as const] : []), ['user', 'U']));
    expect(JSON.stringify(request.toConversation())).not.toContain('hidden');
  });

  test('chat', () => {
    const message = {
      role: 'assistant',
      content: [{ type: 'thinking', thinking: [text('P')] }, text('A')],
      reasoning_content: 'C',
      reasoning: 'R',
      reasoning_details: [
        { type: 'reasoning.text', text: 'D' },
        { type: 'reasoning.text', text: 'sealed', signature: 's' },
        { type: 'reasoning.summary', summary: 'E' },
        { type: 'reasoning.encrypted', data: 'sealed' },
      ],
    };
    const words = wordsOf(parseChatRequest({ model: 'a/b', messages: [message] }));
    expect([...words].sort()).toEqual(['A', 'C', 'D', 'E', 'P', 'R']);
  });
});

describe('FILT-08 what is said, and by whom', () => {
  test('chat', () => {
    expect(passagesOf(chat)).toEqual(
      passages(
        ['instructions', 'T1'],
        ['instructions', 'T2'],
        ['instructions', 'S'],
        ['instructions', 'D1', 'D2'],
        ['user', 'N'],
        ['user', 'U1', 'U2'],
        ['assistant', 'A'],
        ['assistant', 'A1'],
        ['assistant', '12345678'],
        ['tool', 'R'],
        ['user', 'X1'],
        ['user', 'X2', 'X3', 'X4'],
        ['instructions', 'p\nk\nn\nm'],
      ),
    );
  });

  test('tools that take plain text: what describes them, and what they are given', () => {
    const format = { type: 'grammar', grammar: { syntax: 'lark', definition: 'T2' } };
    const call = { id: 'c', type: 'custom', custom: { name: 'patch', input: 'A "1"' } };
    const request = parseChatRequest({
      model: 'a/b',
      tools: [{ type: 'custom', custom: { name: 'patch', description: 'T1', format } }],
      messages: [
        { role: 'user', content: 'U' },
        { role: 'assistant', tool_calls: [call] },
      ],
    });
    expect(passagesOf(request)).toEqual([
      { origin: 'instructions', parts: ['T1'] },
      { origin: 'instructions', parts: ['T2'] },
      { origin: 'user', parts: ['U'] },
      { origin: 'assistant', parts: ['A "1"'] },
    ]);
    const flat = { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: 'T' } };
    const response = parseResponsesRequest({ model: 'a/b', input: 'U', tools: [flat] });
    expect(passagesOf(response)).toContainEqual({ origin: 'instructions', parts: ['T'] });
  });

  test('messages', () => {
    expect(passagesOf(messages)).toEqual(
      passages(
        ['instructions', 'S'],
        ['instructions', 'T1'],
        ['user', 'U1', 'U2', 'U3'],
        ['assistant', 'A1'],
        ['assistant', 'A2'],
        ['assistant', 'A3'],
        ['tool', 'R1', 'R2'],
        ['user', 'U4'],
        ['instructions', 'q\nr'],
      ),
    );
  });

  test('responses', () => {
    expect(passagesOf(responses)).toEqual(
      passages(
        ['instructions', 'S'],
        ['user', 'U1', 'U2'],
        ['assistant', 'A1'],
        ['tool', 'R1'],
        ['assistant', 'A2 plain'],
        ['tool', 'R2'],
        ['assistant', 'A3'],
        ['instructions', 'q'],
      ),
    );
    expect(passagesOf(parseResponsesRequest({ model: 'a/b', input: 'U' }))).toEqual(passages(['user', 'U']));
  });
});

const others: readonly CanonicalRequest[] = [
  parseEmbeddingsRequest({ model: 'a/b', input: ['one', { content: [text('two'), text('three')] }] }),
  parseSpeechRequest({ model: 'a/b', input: 'one', voice: 'v', instructions: 'two' }),
];

describe('FILT-08 what stands under another name is sent on, and read', () => {
  const wordsIn = (request: CanonicalRequest): string[] => passagesOf(request).flatMap(({ parts }) => parts);
  const said = [{ role: 'user', content: 'U' }];
  const read = { chat: parseChatRequest, responses: parseResponsesRequest, messages: parseMessagesRequest };
  const bodies = {
    chat: { model: 'a/b', messages: said },
    responses: { model: 'a/b', input: said },
    messages: { model: 'a/b', max_tokens: 5, messages: said },
  };

  test.each<[keyof typeof read, JsonObject, string[]]>([
    ['chat', { input: 'X1' }, ['X1']],
    ['chat', { input: ['X1', ['X2'], { words: 'X3' }] }, ['X1', 'X2', 'X3']],
    ['chat', { input: { words: ['X1'] } }, ['X1']],
    ['chat', { prompt: 'X1', suffix: 'X2' }, ['X1', 'X2']],
    ['chat', { functions: [{ name: 'f', description: 'X1' }] }, ['X1']],
    ['chat', { chat_template_kwargs: { documents: 'X1', enable_thinking: false } }, ['X1']],
    ['chat', { plugins: [{ id: 'web', search_prompt: 'X1' }] }, ['X1']],
    ['responses', { messages: 'X1' }, ['X1']],
    ['responses', { messages: ['X1', { role: 'user', words: 'X2' }] }, ['X1', 'X2']],
    ['messages', { input: [['X1']], prompt: 'X2' }, ['X1', 'X2']],
    ['messages', { context_management: { edits: [{ type: 'compact', instructions: 'X1' }] } }, ['X1']],
  ])('%s with %j', (format, strays, expected) => {
    const request = read[format]({ ...bodies[format], ...strays });
    expect(wordsIn(request).toSorted()).toEqual(['U', ...expected]);
    const { body } = request.withTexts((part) => part.replace('X', 'Y'));
    const sent = JSON.stringify(body);
    for (const word of expected)
      expect([sent.includes(word), sent.includes(word.replace('X', 'Y'))]).toEqual([false, true]);
  });

  test('in the schemas of tools and answers: what describes a value, and the values', () => {
    const schema = {
      type: 'object',
      title: 'X1',
      properties: { p: { enum: ['X2'], default: { q: 'X3' }, const: 'X4' } },
    };
    const format = { type: 'json_schema', json_schema: { name: 'n', description: 'X5', schema } };
    const tool = { type: 'function', function: { name: 'f', parameters: schema } };
    const offered = parseChatRequest({ ...bodies.chat, tools: [tool] });
    expect(wordsIn(offered).toSorted()).toEqual(['U', 'X1', 'X2', 'X3', 'X4', 'p\nq']);
    const answered = parseChatRequest({ ...bodies.chat, response_format: format });
    expect(wordsIn(answered).toSorted()).toEqual(['U', 'X1', 'X2', 'X3', 'X4', 'X5', 'p\nq']);
  });

  test('in items: what a shell is to do, and tools that come on the way', () => {
    const input = [
      ...said,
      { type: 'local_shell_call', call_id: 'c', id: 'i', action: { type: 'exec', command: ['X1'] } },
      { type: 'local_shell_call_output', call_id: 'c', id: 'i', output: 'X2' },
      { type: 'additional_tools', tools: [{ type: 'function', name: 'f', description: 'X3' }] },
    ];
    expect(passagesOf(parseResponsesRequest({ model: 'a/b', input }))).toEqual([
      { origin: 'user', parts: ['U'] },
      { origin: 'assistant', parts: ['X1'] },
      { origin: 'tool', parts: ['X2'] },
      { origin: 'instructions', parts: ['X3'] },
    ]);
  });

  test('after the words that it stands beside, which stay together', () => {
    const content = [{ ...text('U1'), words: 'X' }, text('U2')];
    const request = parseMessagesRequest({ ...bodies.messages, messages: [{ role: 'user', content, more: 'Y' }] });
    expect(passagesOf(request)).toEqual([
      { origin: 'user', parts: ['U1', 'U2'] },
      { origin: 'user', parts: ['X'] },
      { origin: 'user', parts: ['Y'] },
    ]);
  });

  test('but names, addresses, bytes, proofs and settings are no words', () => {
    const request = parseMessagesRequest({
      ...bodies.messages,
      messages: [
        {
          role: 'user',
          id: 'x',
          content: [{ ...text('U'), cache_control: { type: 'ephemeral' }, new_signature: 'x' }],
        },
        {
          role: 'assistant',
          content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'x' } }],
        },
        { role: 'assistant', content: [{ type: 'redacted_thinking', data: 'x' }] },
      ],
      metadata: { user_id: 'x' },
      tool_choice: { type: 'auto' },
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
      stop_sequences: ['x'],
    });
    expect(wordsIn(request)).toEqual(['U']);
  });

  test('except in completions, which pass on only what both forms have', () => {
    const { body } = parseCompletionRequest({ model: 'a/b', prompt: 'U', messages: said, input: 'X', words: 'X' });
    expect(JSON.stringify(body)).not.toContain('X');
    expect(body.messages).toEqual(said);
  });
});

describe('FILT-05 words are replaced in the order in which they are listed', () => {
  test.each([chat, messages, responses, ...others].map((request) => [request.format, request] as const))(
    '%s',
    (_, request) => {
      const listed = saidIn(request).flatMap(({ parts }) => parts);
      const asked: string[] = [];
      const replaced = request.withTexts((part) => {
        asked.push(part);
        return `<${part}>`;
      });
      expect(asked).toEqual(listed);
      expect(saidIn(replaced).flatMap(({ parts }) => parts)).toEqual(listed.map((part) => `<${part}>`));
      expect(request.withTexts((part) => part).body).toEqual(request.body);
    },
  );

  test('what is not replaced keeps its bytes', () => {
    const argumentsText = '{ "a":"x", "b" : "\\u0041\\n", "n":1.50, "big":123456789012345678901 , "s":["x"] }';
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: argumentsText } };
    const turns = [
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'x' },
    ];
    const replaced = parseChatRequest({ model: 'a/b', messages: turns }).withTexts((part) =>
      part === 'x' ? 'y"z' : part,
    );
    const [, assistant, tool] = replaced.body.messages as { content: string; tool_calls: (typeof call)[] }[];
    expect(assistant?.tool_calls[0]?.function.arguments).toBe(
      '{ "a":"y\\"z", "b" : "\\u0041\\n", "n":1.50, "big":123456789012345678901 , "s":["y\\"z"] }',
    );
    expect(tool?.content).toBe('y"z');
  });

  test('arguments that are no JSON are words like any other', () => {
    for (const argumentsText of ['how to {x}', '{"open": "', '{how to make it}', '[tea]']) {
      const call = { id: 'c', type: 'function', function: { name: 'f', arguments: argumentsText } };
      const turns = [
        { role: 'user', content: 'Go.' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c', content: 'x' },
      ];
      const seen = passagesOf(parseChatRequest({ model: 'a/b', messages: turns })).flatMap(({ parts }) => parts);
      expect(seen).toContain(argumentsText === '[tea]' ? 'Go.' : argumentsText);
    }
  });
});
