// What a Responses call may contain, what the rest of the gateway learns of it, and which refusals have which words.

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import { ApiError } from '../../errors/api-error.ts';
import { parseResponsesRequest } from './parse-request.ts';

const parse = (change: JsonObject) => parseResponsesRequest({ model: 'acme/x', input: 'Hi', ...change });

function refusal(change: JsonObject): { code: string; status: number; message: string } {
  try {
    parse(change);
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, status: error.status, message: error.message };
    throw error;
  }
  throw new Error('it was accepted');
}

const image = 'data:image/png;base64,iVBORw0KGgo=';
const definition = { name: 'get_weather', parameters: { type: 'object', properties: {} } };

describe('RESP-01 RESP-02 RESP-04 what is read', () => {
  test('a plain call', () => {
    expect(parse({})).toMatchObject({
      operation: 'chat',
      format: 'responses',
      modelName: 'acme/x',
      fallbackModelNames: [],
      isStream: false,
      choiceCount: 1,
      outputTokensMax: null,
      messageCount: 1,
      needs: { tools: false, responseFormat: false, imageInput: false, fileInput: false },
    });
  });

  test('limits, fallbacks, the stream and what the model must be able to do', () => {
    const request = parse({
      models: ['acme/y'],
      stream: true,
      max_output_tokens: 77,
      text: { format: { type: 'json_object' }, verbosity: 'low' },
      tools: [{ type: 'function', ...definition }],
      input: [{ role: 'user', content: [{ type: 'input_image', image_url: image, detail: 'low' }] }],
    });
    expect(request).toMatchObject({ fallbackModelNames: ['acme/y'], isStream: true, outputTokensMax: 77 });
    expect(request.needs).toMatchObject({ tools: true, responseFormat: true, imageInput: true });
  });

  test('BILL-02 everything that is forwarded counts towards the estimate', () => {
    const long = 'word '.repeat(2_000);
    const item = (content: unknown) => ({ input: [{ role: 'user', content }] });
    for (const change of [
      { input: long },
      { instructions: long },
      item(long),
      item([{ type: 'input_text', text: long }]),
      { input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: long }] },
      { input: [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: long }] },
      { input: [{ type: 'compaction', encrypted_content: long }] },
      { tools: [{ type: 'web_search', description: long }] },
      { text: { format: { type: 'json_schema', name: 'n', schema: { description: long } } } },
    ]) {
      expect(parse(change).promptTokensEstimate).toBeGreaterThan(3_000);
    }
  });
});

describe('RESP-02 what is missing', () => {
  test.each([
    [{ model: undefined }, 'model'],
    [{ input: undefined }, 'input'],
    [{ input: null }, 'input'],
    [{ input: [] }, 'input'],
    [{ input: [{ content: 'x' }] }, 'input[0].role'],
    [{ input: [{ role: 'user' }] }, 'input[0].content'],
  ])('%j', (change, field) => {
    expect(refusal(change)).toMatchObject({ code: 'missing_required_field', status: 400 });
    expect(refusal(change).message).toContain(field);
  });
});

describe('RESP-03 RESP-07 RESP-08 ERR-38 nothing is stored', () => {
  test.each([
    [{ previous_response_id: 'resp_1' }, 'previous_response_id'],
    [{ store: true }, 'store'],
    [{ conversation: 'conv_1' }, 'conversation'],
    [{ prompt: { id: 'pmpt_1' } }, 'prompt'],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0]'],
    [{ input: [{ id: 'msg_1' }] }, 'input[0]'],
  ])('%j is refused', (change, field) => {
    const { code, status, message } = refusal(change);
    expect([code, status]).toEqual(['invalid_prompt', 400]);
    expect(message).toContain(field);
    expect(message).toContain('store:false');
  });

  test('what says nothing about a store is accepted', () => {
    parse({ previous_response_id: null, store: false, background: true, conversation: null });
    parse({ store: null });
    expect(refusal({ store: 'yes' })).toMatchObject({ code: 'http_400' });
  });
});

describe('RESP-09 RESP-10 RESP-11 items', () => {
  test('every kind that clients send is accepted', () => {
    const input = [
      { type: 'additional_tools', role: 'developer', tools: [{ type: 'function', ...definition }] },
      { role: 'system', content: 'a' },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'b' }], id: 'msg_1' },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'c' },
          { type: 'input_image', image_url: { url: 'https://a.test/x.png', detail: 'high' } },
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
        ],
      },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 's' }], encrypted_content: 'ENC' },
      {
        type: 'message',
        role: 'assistant',
        status: 'completed',
        id: 'msg_2',
        content: [
          { type: 'output_text', text: 'd', annotations: [] },
          { type: 'refusal', refusal: 'no' },
        ],
      },
      { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{}', status: 'completed' },
      { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_image', image_url: image }] },
      { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: 'x' },
      { type: 'custom_tool_call_output', call_id: 'c2', output: 'ok' },
      { type: 'local_shell_call', call_id: 'c3', action: { type: 'exec', command: ['ls'] }, status: 'completed' },
      { type: 'local_shell_call_output', call_id: 'c3', output: 'a' },
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      { type: 'something_new', whatever: true },
    ];
    const request = parse({ input });
    expect(request.messageCount).toBe(input.length);
    expect(request.needs).toMatchObject({ tools: true, imageInput: true, fileInput: true, audioInput: true });
  });

  test('an image address inside an object passes on as the text that providers take', () => {
    const block = { type: 'input_image', image_url: { url: image, detail: 'low' } };
    const output = { type: 'function_call_output', call_id: 'c', output: [block] };
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
    const flat = { type: 'input_image', image_url: image, detail: 'low' };
    expect(parse({ input: [{ role: 'user', content: [block] }, call, output] }).body.input).toEqual([
      { role: 'user', content: [flat] },
      call,
      { ...output, output: [flat] },
    ]);
  });

  const user = (block: JsonObject) => ({ input: [{ role: 'user', content: [block] }] });
  test.each([
    [{ input: 5 }, 'http_400', 'input'],
    [{ input: ['x'] }, 'http_400', 'input[0]'],
    [{ input: [{ role: 'owl', content: '' }] }, 'http_400', 'input[0].role'],
    [{ input: [{ type: 5 }] }, 'http_400', 'input[0].type'],
    [{ input: [{ role: 'user', content: 5 }] }, 'http_400', 'input[0].content'],
    [user({ type: 'nonsense' }), 'http_400', 'input[0].content[0].type'],
    [user({ type: 'input_text' }), 'http_400', 'input[0].content[0].text'],
    [user({ type: 'input_image', image_url: 'ftp://x' }), 'invalid_image_url', 'input[0].content[0].image_url'],
    [user({ type: 'input_image', file_id: 'file_1' }), 'unsupported_param', 'file_id'],
    [user({ type: 'input_image', image_url: image, detail: 5 }), 'http_400', 'input[0].content[0].detail'],
    [user({ type: 'input_file', file_data: 'https://x' }), 'http_400', 'input[0].content[0].file_data'],
    [user({ type: 'input_file', file_url: 'https://x' }), 'unsupported_param', 'file_url'],
    [user({ type: 'input_audio', input_audio: { data: 'data:x' } }), 'http_400', 'input_audio.data'],
    [{ input: [{ role: 'assistant', content: [{ type: 'input_image' }] }] }, 'http_400', 'input[0].content[0].type'],
    [{ input: [{ type: 'function_call', name: 'f' }] }, 'malformed_tool_messages', 'input[0].call_id'],
    [{ input: [{ type: 'function_call_output', call_id: 'c', output: '' }] }, 'malformed_tool_messages', 'call_id'],
    [{ input: [{ type: 'reasoning', summary: 'x' }] }, 'http_400', 'input[0].summary'],
    [{ input: [{ type: 'reasoning', encrypted_content: 5 }] }, 'http_400', 'input[0].encrypted_content'],
    [{ instructions: ['x'] }, 'http_400', 'instructions'],
  ])('%j is %s', (change, code, field) => {
    expect(refusal(change)).toMatchObject({ code, message: expect.stringContaining(field) });
  });
});

describe('RESP-05 RESP-06 ERR-31 AMB-10 tools', () => {
  test('flat and nested definitions are the same, and pass on flat', () => {
    const flat = { type: 'function', ...definition };
    const nested = { type: 'function', function: definition };
    expect(parse({ tools: [nested] }).body.tools).toEqual([flat]);
    expect(parse({ tools: [flat] }).body.tools).toEqual([flat]);
    expect(parse({ tools: [nested] }).toConversation()).toEqual(parse({ tools: [flat] }).toConversation());
  });

  test.each(['web_search_preview', 'file_search', 'computer_use_preview'])('the hosted %s is refused', (type) => {
    expect(refusal({ tools: [{ type }] })).toMatchObject({ code: 'unsupported_param', status: 400 });
    expect(refusal({ tools: [{ type }] }).message).toContain(type);
    expect(refusal({ tool_choice: { type } }).message).toContain(type);
  });

  test('tools of every other kind are no mistake, and no need of the model', () => {
    const tools = [
      { type: 'web_search', external_web_access: false },
      { type: 'custom', name: 'patch', format: { type: 'grammar' } },
      { type: 'image_generation' },
      { type: 'mcp', server_label: 'x' },
      { type: 'local_shell' },
      { type: 'tool_search' },
    ];
    const request = parse({ tools, tool_choice: { type: 'custom', name: 'patch' } });
    expect(request.needs.tools).toBe(false);
    expect(request.body.tools).toBe(tools);
  });

  test('functions inside a namespace or an input item are tools', () => {
    const namespace = { type: 'namespace', name: 'n', tools: [{ type: 'function', ...definition }] };
    expect(parse({ tools: [namespace] }).needs.tools).toBe(true);
    expect(parse({ input: [{ type: 'additional_tools', tools: [namespace] }] }).needs.tools).toBe(true);
  });

  test.each([
    [{ tools: {} }, 'tools'],
    [{ tools: [5] }, 'tools[0]'],
    [{ tools: [{ name: 'f' }] }, 'tools[0].type'],
    [{ tools: [{ type: 'function' }] }, 'tools[0].name'],
    [{ tools: [{ type: 'function', name: 'get weather!' }] }, 'tools[0].name'],
    [{ tools: [{ type: 'function', name: 'f', parameters: 'x' }] }, 'tools[0].parameters'],
    [{ tools: [{ type: 'function', name: 'f', strict: 'x' }] }, 'tools[0].strict'],
    [{ tools: [{ type: 'namespace', tools: [] }] }, 'tools[0].name'],
    [{ tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'function' }] }] }, 'tools[0].tools[0].name'],
    [{ input: [{ type: 'additional_tools', tools: [{ type: 'function' }] }] }, 'input[0].tools[0].name'],
    [{ tool_choice: { type: 'function', name: 'absent' } }, 'tool_choice'],
  ])('%j is an invalid definition', (change, field) => {
    expect(refusal(change)).toMatchObject({
      code: 'invalid_tools_definition',
      message: expect.stringContaining(field),
    });
  });

  test('a choice may be a word, an object with one, or a function by either form', () => {
    const tools = [{ type: 'function', ...definition }];
    const chosen = { type: 'function', name: 'get_weather' };
    expect(parse({ tools, tool_choice: { type: 'auto' } }).body.tool_choice).toBe('auto');
    expect(parse({ tools, tool_choice: 'required' }).body.tool_choice).toBe('required');
    expect(
      parse({ tools, tool_choice: { type: 'function', function: { name: 'get_weather' } } }).body.tool_choice,
    ).toEqual(chosen);
    expect(refusal({ tools, tool_choice: 'sometimes' })).toMatchObject({ code: 'http_400' });
    expect(refusal({ tools, tool_choice: { type: 'allowed_tools', mode: 'x' } }).message).toContain('tool_choice.mode');
  });

  test('a choice that allows some tools may have either form, and names functions that are there', () => {
    const tools = [{ type: 'function', ...definition }];
    const allow = (...named: object[]) => ({ type: 'allowed_tools', mode: 'auto', tools: named });
    const flat = allow({ type: 'function', name: 'get_weather' }, { type: 'mcp', server_label: 'x' });
    expect(parse({ tools, tool_choice: flat }).body.tool_choice).toBe(flat);
    const nested = {
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'get_weather' } }] },
    };
    expect(parse({ tools, tool_choice: nested }).body.tool_choice).toEqual(
      allow({ type: 'function', name: 'get_weather' }),
    );
    expect(refusal({ tools, tool_choice: allow({ type: 'function', name: 'absent' }) })).toMatchObject({
      code: 'invalid_tools_definition',
      message: expect.stringContaining('tool_choice.tools[0]'),
    });
  });
});

describe('RESP-04 the meanings of chat', () => {
  test.each([
    [{ temperature: 3 }, 'http_400', 'temperature'],
    [{ top_p: 2 }, 'http_400', 'top_p'],
    [{ stream: 'yes' }, 'http_400', 'stream'],
    [{ parallel_tool_calls: 1 }, 'http_400', 'parallel_tool_calls'],
    [{ max_output_tokens: 0 }, 'max_tokens_invalid', 'max_output_tokens'],
    [{ max_output_tokens: 1.5 }, 'max_tokens_invalid', 'max_output_tokens'],
    [{ models: 'x' }, 'http_400', 'models'],
    [{ transforms: ['x'] }, 'unsupported_param', 'transforms'],
    [{ provider: { sort: 5 } }, 'http_400', 'provider.sort'],
    [{ text: 'x' }, 'http_400', 'text'],
    [{ text: { format: { type: 'xml' } } }, 'invalid_response_format_schema', 'text.format.type'],
    [{ text: { format: { type: 'json_schema', schema: {} } } }, 'invalid_response_format_schema', 'text.format.name'],
    [{ response_format: { type: 'json_schema' } }, 'invalid_response_format_schema', 'response_format.json_schema'],
  ])('%j is %s', (change, code, field) => {
    expect(refusal(change)).toMatchObject({ code, message: expect.stringContaining(field) });
  });

  test('TOOL-11 response_format is understood and passes on where this format has it', () => {
    const schema = { type: 'object', properties: {} };
    const request = parse({
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } },
    });
    expect(request.needs.responseFormat).toBe(true);
    expect(request.body).not.toHaveProperty('response_format');
    expect(request.body.text).toEqual({ format: { type: 'json_schema', name: 'n', schema, strict: true } });
  });

  test('fields that only some providers know are no mistake', () => {
    parse({
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'k',
      client_metadata: { a: 'b' },
      service_tier: 'auto',
      truncation: 'auto',
      reasoning: { effort: 'newest', summary: 'auto', context: 'x' },
      text: {},
      metadata: { a: 'b' },
      user: 'u',
      safety_identifier: 's',
      plugins: [{ id: 'web' }],
      unheard_of: { a: 1 },
    });
  });
});
