// Whole answers have every member that clients require; an answer of a provider with the same format is changed only
// where it must be.

import { describe, expect, test } from 'vitest';
import { jsonSource, sourcedJson } from '../../../test/json-source.ts';
import type { Answer } from '../../canonical/answer.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { zeroUsage } from '../../canonical/usage.ts';
import { parseResponsesRequest } from './parse-request.ts';
import { REPEATED, renderResponsesAnswer, renderSameResponse } from './render-response.ts';

const bill = { usage: { ...zeroUsage, promptTokens: 7, completionTokens: 3 }, costUsd: 0.5 };
const base: Answer = {
  parts: [{ type: 'text', text: 'Hello' }],
  finishReason: 'stop',
  nativeFinishReason: null,
  stopSequence: null,
  usage: null,
};

function contextFor(body: JsonObject) {
  const request = parseResponsesRequest({ model: 'acme/x', input: 'Hi', ...body });
  return { id: 'gen-1', modelId: 'acme/x', createdSeconds: 5, request };
}

const render = (answer: Partial<Answer>, body: JsonObject = {}): JsonObject =>
  JSON.parse(renderResponsesAnswer({ ...base, ...answer }, contextFor(body), bill));

describe('RESP-12 RESP-13 RESP-14 a translated answer', () => {
  test('has an id that leads back to the generation, times, a status and the usage with its cost', () => {
    const response = render({});
    expect(response).toMatchObject({ object: 'response', created_at: 5, status: 'completed', model: 'acme/x' });
    expect(response.id).toBe('resp_gen-1');
    expect(response.completed_at).toBeGreaterThan(5);
    expect(response.usage).toEqual({
      input_tokens: 7,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 3,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 10,
      cost: 0.5,
    });
  });

  test('holds messages, calls and thinking as items', () => {
    const { output } = render({
      parts: [
        { type: 'reasoning', text: 'Hm', itemId: 'rs_1', encryptedContent: 'ENC' },
        { type: 'text', text: 'Hello' },
        { type: 'tool-call', id: 'call_1', name: 'f', argumentsText: '{"a": 1.0}' },
      ],
      finishReason: 'tool_calls',
    });
    expect(output).toEqual([
      { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'ENC' },
      {
        id: 'msg_gen_1_1',
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', annotations: [], logprobs: [], text: 'Hello' }],
      },
      {
        id: 'fc_gen_1_2',
        type: 'function_call',
        status: 'completed',
        call_id: 'call_1',
        name: 'f',
        arguments: '{"a": 1.0}',
      },
    ]);
  });

  test('gives a call without arguments the least that is JSON', () => {
    const { output } = render({ parts: [{ type: 'tool-call', id: 'c', name: 'f', argumentsText: '' }] });
    expect(output).toMatchObject([{ arguments: '{}' }]);
  });

  test('repeats the request, with every member there even when nothing was set', () => {
    expect(render({})).toMatchObject({
      error: null,
      incomplete_details: null,
      instructions: null,
      metadata: {},
      parallel_tool_calls: true,
      temperature: null,
      top_p: null,
      presence_penalty: null,
      frequency_penalty: null,
      tools: [],
      tool_choice: 'auto',
      text: { format: { type: 'text' } },
      reasoning: { effort: null, summary: null },
      truncation: 'disabled',
      store: false,
      background: false,
      previous_response_id: null,
      max_output_tokens: null,
    });
    const asked = {
      instructions: 'Be brief.',
      metadata: { a: 'b' },
      parallel_tool_calls: false,
      temperature: 0,
      top_p: 0.5,
      tools: [{ type: 'function', name: 'f', parameters: { type: 'object', maximum: 2n ** 70n } }],
      tool_choice: 'required',
      text: { format: { type: 'json_object' }, verbosity: 'low' },
      max_output_tokens: 9,
      truncation: 'auto',
    };
    const { tools, ...others } = asked;
    const text = renderResponsesAnswer(base, contextFor(asked), bill);
    expect(JSON.parse(text)).toMatchObject(others);
    expect(text).toContain(`"maximum":${2n ** 70n}`);
    expect(tools).toHaveLength(1);
  });

  test.each([
    ['length', 'incomplete', { reason: 'max_output_tokens' }],
    ['content_filter', 'incomplete', { reason: 'content_filter' }],
    ['tool_calls', 'completed', null],
    ['error', 'failed', null],
  ] as const)('that ended by %s is %s', (finishReason, status, incomplete_details) => {
    const response = render({ finishReason });
    expect(response).toMatchObject({ status, incomplete_details });
    const error = status === 'failed' ? { code: expect.any(String), message: expect.any(String) } : null;
    expect(response.error).toEqual(error);
  });
});

test('RESP-12 a native answer keeps everything but id, model, usage and the name of the provider', () => {
  const native = Object.freeze({
    id: 'resp_upstream',
    object: 'response',
    created_at: 3,
    completed_at: 4,
    status: 'completed',
    model: 'up-model',
    provider: 'Secret Cloud',
    output: [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'ENC+/=' },
      { type: 'new_item', x: 1 },
    ],
    usage: { input_tokens: 1, output_tokens: 1, cost: 9 },
    unheard_of: { a: 1 },
  });
  const response = JSON.parse(String(renderSameResponse(sourcedJson(native), contextFor({}), bill)));
  const { provider: _provider, ...others } = native;
  // Members that clients need and the provider left out are filled in; members that it sent stay.
  const echoed = JSON.parse(
    String(renderSameResponse(sourcedJson({ ...native, temperature: 0.3, tools: [1] }), contextFor({}), bill)),
  );
  expect(echoed).toMatchObject({ temperature: 0.3, tools: [1], presence_penalty: null, metadata: {} });
  expect(response).toEqual({
    ...REPEATED,
    ...others,
    id: 'resp_gen-1',
    model: 'acme/x',
    error: null,
    incomplete_details: null,
    usage: expect.objectContaining({ input_tokens: 7, cost: 0.5 }),
  });
});

test('RESP-13 what a native provider leaves out of its items is added', () => {
  const text = { type: 'output_text', text: 'Hi' };
  const call = { type: 'function_call', call_id: 'c1', name: 'look' };
  const whole = { ...call, id: 'fc_1', status: 'incomplete', arguments: '{"at":1}' };
  const output = [
    { type: 'message', id: 'msg_1', role: 'assistant', content: [text, { type: 'refusal', refusal: 'No' }] },
    call,
    { ...call, arguments: { at: 1 } },
    whole,
  ];
  const native = { id: 'resp_up', status: 'completed', model: 'm', output };
  const response = JSON.parse(String(renderSameResponse(sourcedJson(native), contextFor({}), bill)));
  expect(response.output).toEqual([
    {
      ...output[0],
      content: [
        { ...text, annotations: [] },
        { type: 'refusal', refusal: 'No' },
      ],
    },
    { ...call, id: 'fc_gen_1_1', status: 'completed', arguments: '{}' },
    { ...call, id: 'fc_gen_1_2', status: 'completed', arguments: '{"at":1}' },
    whole,
  ]);
});

test('RESP-12 the items of a native answer reach the client to the byte', () => {
  const output = '"output" : [ {"type":"new_item", "n":12345678901234567890, "x":1.0} ]';
  const source = jsonSource(`{"id":"resp_up","status":"completed","model":"m",${output}}`);
  expect(String(renderSameResponse({ json: source.json, source }, contextFor({}), bill))).toContain(output);
});
