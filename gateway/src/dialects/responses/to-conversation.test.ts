// Nothing that a model needs is lost on the way into the vendor-neutral form.

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import { parseResponsesRequest } from './parse-request.ts';
import { sealReasoning } from './sealed-reasoning.ts';

const convert = (change: JsonObject) =>
  parseResponsesRequest({ model: 'acme/x', input: 'Hi', ...change }).toConversation();
const text = (value: string) => ({ type: 'text', text: value });
const lookup = { type: 'function', name: 'look_up', description: 'd', parameters: { type: 'object' }, strict: true };

describe('RESP-09 RESP-11 messages', () => {
  test('instructions come first, and a plain input is the words of the user', () => {
    expect(convert({ instructions: 'Be brief.' }).messages).toEqual([
      { role: 'system', parts: [text('Be brief.')] },
      { role: 'user', parts: [text('Hi')] },
    ]);
  });

  test('a whole tool loop keeps its order, its ids and its exact arguments', () => {
    const { messages } = convert({
      input: [
        { role: 'developer', content: 'Rules' },
        { role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'ENC' },
        { role: 'assistant', content: [{ type: 'output_text', text: 'I will look.' }] },
        { type: 'function_call', call_id: 'c1', name: 'a', arguments: '{"x": 1.0}' },
        { type: 'function_call', call_id: 'c2', name: 'b', arguments: '' },
        { role: 'developer', content: 'In between' },
        { type: 'function_call_output', call_id: 'c2', output: 'two' },
        { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'one' }] },
        { type: 'function_call', call_id: 'c3', name: 'a', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c3', output: 'three' },
        { role: 'assistant', content: 'Done.' },
      ],
    });
    const result = (callId: string, value: string) => ({
      type: 'tool-result',
      callId,
      content: [text(value)],
      isError: false,
    });
    expect(messages).toEqual([
      { role: 'system', parts: [text('Rules')] },
      { role: 'user', parts: [text('Go')] },
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'Hm', itemId: 'rs_1', encryptedContent: 'ENC' },
          text('I will look.'),
          { type: 'tool-call', id: 'c1', name: 'a', argumentsText: '{"x": 1.0}' },
          { type: 'tool-call', id: 'c2', name: 'b', argumentsText: '' },
        ],
      },
      { role: 'tool', parts: [result('c2', 'two'), result('c1', 'one')] },
      { role: 'system', parts: [text('In between')] },
      { role: 'assistant', parts: [{ type: 'tool-call', id: 'c3', name: 'a', argumentsText: '{}' }] },
      { role: 'tool', parts: [result('c3', 'three')] },
      { role: 'assistant', parts: [text('Done.')] },
    ]);
  });

  test('RESP-10 images, files and audio arrive whole, by address or by content', () => {
    const { messages } = convert({
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_image', image_url: 'https://a.test/x.png', detail: 'high' },
            { type: 'input_image', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
            { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' },
            { type: 'input_audio', input_audio: { data: 'CCCC', format: 'wav' } },
          ],
        },
      ],
    });
    expect(messages[0]?.parts).toEqual([
      { type: 'image', source: { kind: 'url', url: 'https://a.test/x.png' }, detail: 'high' },
      { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' }, detail: 'low' },
      { type: 'file', source: { kind: 'base64', mediaType: 'application/pdf', data: 'BBBB' }, filename: 'a.pdf' },
      { type: 'audio', data: 'CCCC', format: 'wav' },
    ]);
  });

  test('a signature sealed in an item comes back as the signature it was', () => {
    const sealed = sealReasoning({ signature: 'SIG' });
    const summary = [{ type: 'summary_text', text: 'Exactly this.' }];
    const hidden = sealReasoning({ signature: 'SIG', text: 'Not shown.' });
    const redacted = sealReasoning({ redactedData: 'RED' });
    const { messages } = convert({
      input: [
        { type: 'reasoning', id: 'rs_a', summary, encrypted_content: sealed },
        { type: 'reasoning', id: 'rs_b', summary: [], encrypted_content: hidden },
        { type: 'reasoning', id: 'rs_c', summary: [], encrypted_content: redacted },
      ],
    });
    expect(messages[0]?.parts).toEqual([
      { type: 'reasoning', text: 'Exactly this.', signature: 'SIG' },
      { type: 'reasoning', text: 'Not shown.', signature: 'SIG' },
      { type: 'reasoning', text: '', redactedData: 'RED' },
    ]);
  });

  test('what looks sealed and is not is carried as it came', () => {
    for (const encrypted_content of ['tg1.nonsense', `tg1.${Buffer.from('5').toString('base64url')}`]) {
      const { messages } = convert({ input: [{ type: 'reasoning', id: 'rs_a', encrypted_content }] });
      expect(messages[0]?.parts).toEqual([
        { type: 'reasoning', text: '', itemId: 'rs_a', encryptedContent: encrypted_content },
      ]);
    }
  });

  test("a vendor's own tools become ordinary calls, and items that say nothing are dropped", () => {
    const { messages } = convert({
      input: [
        { type: 'local_shell_call', call_id: 'c1', action: { command: ['ls'] }, status: 'completed' },
        { type: 'local_shell_call_output', call_id: 'c1', output: 'a.txt' },
        { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: '*** Begin' },
        { type: 'custom_tool_call_output', call_id: 'c2', output: 'ok' },
        { type: 'tool_search_call', call_id: 'c3', execution: 'client', arguments: { query: 'tides' } },
        { type: 'tool_search_output', call_id: 'c3', execution: 'client', tools: [{ type: 'function', name: 'tide' }] },
        { type: 'web_search_call', id: 'ws_1', status: 'completed' },
        { type: 'never_called_call_output', call_id: 'c9', output: 'x' },
        { role: 'user', content: 'And now?' },
      ],
    });
    expect(messages.map((message) => message.role)).toEqual([
      ...['assistant', 'tool', 'assistant', 'tool', 'assistant', 'tool', 'user'],
    ]);
    expect(messages[4]?.parts).toMatchObject([{ name: 'tool_search', argumentsText: '{"query":"tides"}' }]);
    expect(messages[5]?.parts).toMatchObject([{ callId: 'c3', content: [{ type: 'text' }] }]);
    expect(messages[0]?.parts).toMatchObject([{ name: 'local_shell', argumentsText: '{"command":["ls"]}' }]);
    expect(messages[2]?.parts).toMatchObject([{ name: 'patch', argumentsText: '{"input":"*** Begin"}' }]);
  });
});

describe('RESP-05 tools', () => {
  const namespace = { type: 'namespace', name: 'clock', tools: [{ ...lookup, name: 'sleep' }] };

  test('functions are offered, joined with their namespace, and hosted tools are not', () => {
    const { tools } = convert({ tools: [lookup, namespace, { type: 'web_search' }] });
    expect(tools).toEqual([
      { name: 'look_up', description: 'd', parameters: { type: 'object' }, strict: true },
      { name: 'clock__sleep', description: 'd', parameters: { type: 'object' }, strict: true },
    ]);
  });

  test('earlier calls carry the joined name too', () => {
    const call = { type: 'function_call', call_id: 'c', name: 'sleep', namespace: 'clock', arguments: '{}' };
    const { messages } = convert({ tools: [namespace], input: [call] });
    expect(messages[0]?.parts).toMatchObject([{ name: 'clock__sleep' }]);
  });

  test('a choice follows its function, narrows the list, or goes with the tool it meant', () => {
    const tools = [lookup, namespace];
    expect(convert({ tools, tool_choice: { type: 'function', name: 'sleep' } }).toolChoice).toEqual({
      name: 'clock__sleep',
    });
    const allowed = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'look_up' }] };
    const narrowed = convert({ tools, tool_choice: allowed });
    expect(narrowed.tools.map(({ name }) => name)).toEqual(['look_up']);
    expect(narrowed.offeredTools?.map(({ name }) => name)).toEqual(['look_up', 'clock__sleep']);
    expect(narrowed.toolChoice).toBe('required');
    const others = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'web_search' }] };
    expect(convert({ tools, tool_choice: others })).toMatchObject({ tools: [{}, {}], toolChoice: 'none' });
    expect(convert({ tools, tool_choice: { type: 'web_search' } }).toolChoice).toBeUndefined();
    expect(convert({ tools: [{ type: 'web_search' }], tool_choice: 'required' }).toolChoice).toBeUndefined();
  });

  test('a function without parameters takes an empty object', () => {
    const { tools } = convert({ tools: [{ type: 'function', name: 'f', parameters: null }] });
    expect(tools[0]?.parameters).toEqual({ type: 'object', properties: {} });
  });
});

test('RESP-04 TOOL-09 wishes of every kind', () => {
  const schema = { type: 'object' };
  expect(
    convert({
      temperature: 0,
      top_p: 0.5,
      max_output_tokens: 9,
      parallel_tool_calls: false,
      reasoning: { effort: 'low', max_tokens: 7 },
      text: { format: { type: 'json_schema', name: 'n', schema, strict: true } },
      user: 'u',
    }),
  ).toMatchObject({
    sampling: { temperature: 0, topP: 0.5 },
    outputTokensMax: 9,
    isParallelToolCalls: false,
    reasoning: { effort: 'low', tokensMax: 7 },
    responseFormat: { type: 'json-schema', name: 'n', schema, strict: true },
    endUserId: 'u',
  });
  expect(convert({}).reasoning).toBeUndefined();
  // The word for no thinking must not switch it on at a provider that has no such word.
  expect(convert({ reasoning: { effort: 'none' } }).reasoning).toEqual({ isEnabled: false });
});

test('ERR-31 RESP-04 a summary can be asked of a provider of the same format only, and a sealed one says nothing', () => {
  const sealed = { type: 'compaction', encrypted_content: 'gAAA' };
  const { messages } = convert({ input: [sealed, { role: 'user', content: 'Hi.' }] });
  expect(messages).toEqual([{ role: 'user', parts: [{ type: 'text', text: 'Hi.' }] }]);
  const asked = [{ role: 'user', content: 'Hi.' }, { type: 'compaction_trigger' }];
  expect(() => convert({ input: asked })).toThrow('compaction_trigger is not supported');
});
