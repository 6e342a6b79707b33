// The walk over a body: which members pass unchanged, which are left out and what goes with them, and that the caller's
// own data is not touched.

import { describe, expect, test } from 'vitest';
import type { Format } from '../../canonical/format.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { forwardBody } from './forward-body.ts';
import { forwardHeaders } from './forward-headers.ts';
import { inspectBody } from './inspect.ts';
import type { ForwardTerms } from './terms.ts';
import { withoutThinking } from './thinking.ts';

const NARROW: ForwardTerms = {
  offers: () => false,
  hasHourPrice: false,
  hasTiers: false,
  searches: true,
  hostedTools: false,
  hash: (name, value) => `#${name}:${value.length}`,
};
const WIDE: ForwardTerms = { ...NARROW, offers: () => true, hasHourPrice: true, hasTiers: true, hostedTools: true };

const forward = (body: JsonObject, format: Format = 'chat', terms = NARROW): JsonObject =>
  forwardBody(body, format, terms);

/** Everything in it is the caller's own, whatever its name. */
const OWN_DATA: JsonObject = { file_id: 'mine', thread_id: 'mine', container: 'mine', store: true };

describe('what passes', () => {
  const plain: JsonObject = {
    model: 'm',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"file_id":"mine"}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'done' },
    ],
    tools: [{ type: 'function', function: { name: 'f', parameters: { properties: OWN_DATA } } }],
    response_format: { type: 'json_schema', json_schema: { schema: { properties: OWN_DATA } } },
    metadata: OWN_DATA,
    user: 'their-user',
    temperature: 0.5,
    reasoning_effort: 'high',
    unknown_field: { nested: [1, 'two', { three: true }] },
    service_tier: 'auto',
    store: null,
  };

  test('VER-06 CHAT-23 an honest body is the very same object', () => {
    expect(forward(plain)).toBe(plain);
    expect(inspectBody(plain, 'chat')).toEqual({
      isPlain: true,
      cacheKept: 'minutes',
      extras: expect.arrayContaining(['thinking']),
    });
  });

  test('a body without anything remarkable is inspected without making anything', () => {
    const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], stream: true };
    expect(inspectBody(body, 'chat')).toBe(inspectBody({ ...body }, 'chat'));
  });

  test("the caller's own data is not looked into", () => {
    const body: JsonObject = {
      model: 'm',
      max_tokens: 1,
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: OWN_DATA }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] },
      ],
      tools: [{ name: 'f', input_schema: { properties: OWN_DATA }, input_examples: [OWN_DATA] }],
    };
    expect(forward(body, 'messages')).toBe(body);
  });

  test('citations of a document without a file stay', () => {
    const block = { type: 'text', text: 'x', citations: [{ type: 'char_location', file_id: null, document_index: 0 }] };
    const body = { model: 'm', messages: [{ role: 'assistant', content: [block] }] };
    expect(forward(body, 'messages')).toBe(body);
  });
});

describe('another spelling of a name that has a meaning', () => {
  const within = (object: JsonObject): JsonObject => {
    const { messages } = forward({ model: 'm', messages: [{ role: 'user', content: [object] }] });
    return (messages as { content: JsonObject[] }[])[0]?.content[0] ?? {};
  };

  test('does not bring a reference in at any depth', () => {
    const file = {
      file_data: 'data:text/plain;base64,aGk=',
      FILE_ID: 'file-1',
      'file_id ': 'file-1',
      fileID: 'file-1',
    };
    expect(within({ type: 'file', file })).toEqual({ type: 'file', file: { file_data: file.file_data } });
    expect(within({ type: 'file', file: { Id: 'file-1', ID: 'file-1' } })).toEqual({ type: 'file', file: {} });
  });

  test('does not make a tool or a text of what has been read as another', () => {
    const tool = { type: 'function', function: { name: 'f', parameters: { Type: 'object' } } };
    const tools = [{ ...tool, Type: 'mcp', Server_URL: 'https://example.test' }];
    expect(forward({ model: 'm', messages: [], tools }).tools).toEqual([tool]);
    expect(within({ type: 'text', text: 'read', Text: 'unread', TEXT: 'unread' })).toEqual({
      type: 'text',
      text: 'read',
    });
  });

  test("stays in the caller's own data", () => {
    const metadata = { user_id: 'a', Model: 'mine', FILE_ID: 'mine' };
    expect(forward({ model: 'm', messages: [], metadata }, 'messages').metadata).toEqual({
      ...metadata,
      user_id: '#user_id:1',
    });
    const schema = { Type: 'object', properties: { ID: { type: 'string' }, order_id: { type: 'string' } } };
    const forms = { guided_json: schema, structured_outputs: { json: schema } };
    expect(forward({ model: 'm', messages: [], ...forms })).toMatchObject(forms);
  });
});

describe('another name for how much is wanted', () => {
  const LIMITS = ['n_predict', 'num_predict', 'max_new_tokens', 'max_gen_len', 'max_length', 'maxTokens'];
  const COUNTS = ['n_cmpl', 'num_return_sequences', 'num_completions', 'candidate_count', 'use_beam_search'];

  test.each<[Format, JsonObject, readonly string[]]>([
    ['chat', { max_tokens: 5, n: 2 }, ['max_output_tokens']],
    ['messages', { max_tokens: 5 }, ['max_output_tokens', 'max_completion_tokens', 'max_tokens_to_sample', 'n']],
    ['responses', { max_output_tokens: 5 }, ['max_tokens', 'max_completion_tokens', 'n']],
  ])('BILL-02 does not stand beside the one that was held for: %s', (format, held, others) => {
    const more = Object.fromEntries([...LIMITS, ...COUNTS, ...others].map((name) => [name, 16_000]));
    expect(forward({ model: 'm', ...held, ...more }, format)).toEqual({ model: 'm', ...held });
  });
});

describe('tools', () => {
  test('those that nobody knows are left out, with a choice that names them', () => {
    const body = {
      model: 'm',
      input: [{ type: 'additional_tools', tools: [{ type: 'never_heard_of' }, { type: 'custom', name: 'c' }] }],
      tools: [{ type: 'never_heard_of' }, { type: 'local_shell' }],
      tool_choice: { type: 'never_heard_of' },
    };
    expect(forward(body, 'responses')).toEqual({
      model: 'm',
      input: [{ type: 'additional_tools', tools: [{ type: 'custom', name: 'c' }] }],
      tools: [{ type: 'local_shell' }],
    });
  });

  test('those that a provider runs need a price', () => {
    const tools = [{ type: 'code_execution_20250825', name: 'x' }];
    expect(forward({ model: 'm', tools, tool_choice: { type: 'auto' } }, 'messages')).toEqual({ model: 'm' });
    expect(forward({ model: 'm', tools }, 'messages', WIDE)).toEqual({ model: 'm', tools });
  });

  test.each(['mcp', 'mcp_toolset'])('%s is refused', (type) => {
    expect(() => forward({ model: 'm', tools: [{ type, server_url: 'https://x' }] }, 'responses')).toThrow(type);
  });
});

describe('headers', () => {
  const header = (flags: string, terms: ForwardTerms): string | undefined =>
    forwardHeaders(['anthropic-beta', flags], terms)[1];

  test('known flags pass, others are left out, and a list of none is no header', () => {
    expect(header('a-2099-01-01, effort-2025-11-24,context-1m-2025-08-07', NARROW)).toBe('effort-2025-11-24');
    expect(header('context-1m-2025-08-07,fast-mode-2026-02-01,code-execution-2025-08-25', WIDE)).toBe(
      'context-1m-2025-08-07,fast-mode-2026-02-01,code-execution-2025-08-25',
    );
    expect(forwardHeaders(['anthropic-beta', 'files-api-2025-04-14'], WIDE)).toEqual([]);
  });
});

describe('thinking', () => {
  test.each<[JsonObject, JsonObject]>([
    [{ reasoning_effort: 'low' }, {}],
    [{ reasoning_effort: 'none' }, { reasoning_effort: 'none' }],
    [{ reasoning: { effort: 'high' } }, {}],
    [{ reasoning: { exclude: true } }, { reasoning: { exclude: true } }],
    [{ thinking: { type: 'enabled', budget_tokens: 5 } }, {}],
    [{ thinking: { type: 'disabled' } }, { thinking: { type: 'disabled' } }],
    [{ thinking: { type: 'adaptive' }, context_management: { edits: [{ type: 'clear_thinking_20251015' }] } }, {}],
    [{ thinking_budget: 100 }, {}],
    [{ chat_template_kwargs: { enable_thinking: true, other: 1 } }, { chat_template_kwargs: { other: 1 } }],
  ])('BILL-11 %j in a family where it costs more', (asked, left) => {
    expect(withoutThinking({ model: 'm', ...asked })).toEqual({ model: 'm', ...left });
  });
});
