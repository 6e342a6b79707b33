// A chat body becomes a canonical request or a refusal that names the field; it is never changed on the way.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { customArguments, describeCustomTool } from '../../canonical/custom-tools.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { parseChatRequest } from './parse-request.ts';

const fixture = (name: string): JsonObject =>
  JSON.parse(readFileSync(new URL(`./__fixtures__/${name}.json`, import.meta.url), 'utf8'));

const messages = [{ role: 'user', content: 'Say hello.' }];
const minimal = { model: 'acme/coder-1', messages };
const refusal = (code: string, message?: RegExp) =>
  expect.objectContaining(message === undefined ? { code } : { code, message: expect.stringMatching(message) });

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}

describe('the smallest request', () => {
  test('CHAT-01 reads the defaults and passes an ordinary body on as it is', () => {
    const request = parseChatRequest(minimal);
    expect(request).toMatchObject({
      operation: 'chat',
      modelName: 'acme/coder-1',
      fallbackModelNames: [],
      isStream: false,
      choiceCount: 1,
      outputTokensMax: null,
      messageCount: 1,
      isThinkingEnabled: false,
      hidesReasoning: false,
    });
    expect(Object.values(request.needs)).toEqual(Array(7).fill(false));
    expect(request.body).toBe(minimal);
  });

  test('CHAT-01 stream is a boolean', () => {
    expect(parseChatRequest({ ...minimal, stream: true }).isStream).toBe(true);
    expect(() => parseChatRequest({ ...minimal, stream: 'true' })).toThrow(refusal('http_400', /^stream must/));
  });

  test('null in an optional field means that it was left out', () => {
    const optional = ['stream', 'temperature', 'max_tokens', 'n', 'stop', 'tools', 'tool_choice', 'response_format'];
    for (const field of [...optional, 'provider', 'models', 'reasoning', 'seed', 'input_audio', 'stream_options']) {
      expect(parseChatRequest({ ...minimal, [field]: null }).modelName).toBe('acme/coder-1');
    }
  });
});

describe('names of models', () => {
  test('CHAT-03 a missing model is missing, an empty or endless one is malformed', () => {
    expect(() => parseChatRequest({ messages })).toThrow(refusal('missing_required_field', /^model /));
    expect(() => parseChatRequest({ messages, model: '' })).toThrow(refusal('invalid_model_id'));
    expect(() => parseChatRequest({ messages, model: 'a/'.repeat(200) })).toThrow(refusal('invalid_model_id'));
    expect(() => parseChatRequest({ messages, model: 7 })).toThrow(refusal('http_400', /^model must be a string/));
  });

  test('ROUTE-10 model comes first, then models in order without duplicates', () => {
    const request = parseChatRequest({ ...minimal, models: ['b/two', 'acme/coder-1', 'c/three', 'b/two'] });
    expect(request.modelName).toBe('acme/coder-1');
    expect(request.fallbackModelNames).toEqual(['b/two', 'c/three']);
  });

  test('ROUTE-10 models alone is enough, an empty list is not', () => {
    const request = parseChatRequest({ messages, models: ['b/two', 'c/three'] });
    expect([request.modelName, ...request.fallbackModelNames]).toEqual(['b/two', 'c/three']);
    expect(() => parseChatRequest({ messages, models: [] })).toThrow(refusal('missing_required_field'));
  });

  test('ROUTE-10 ten models are taken, eleven are not, nor anything but strings', () => {
    const names = Array.from({ length: 11 }, (_, index) => `m/${index}`);
    expect(parseChatRequest({ messages, models: names.slice(0, 10) }).fallbackModelNames).toHaveLength(9);
    expect(() => parseChatRequest({ messages, models: names })).toThrow(refusal('http_400', /^models may/));
    expect(() => parseChatRequest({ ...minimal, models: 'm/1' })).toThrow(refusal('http_400'));
    expect(() => parseChatRequest({ ...minimal, models: ['m/1', 2] })).toThrow(refusal('http_400', /^models\[1\]/));
  });
});

describe('limits of the answer', () => {
  test('CHAT-06 CHAT-07 AMB-24 the newer name wins when both are sent, and both are checked', () => {
    expect(parseChatRequest({ ...minimal, max_tokens: 5 }).outputTokensMax).toBe(5);
    expect(parseChatRequest({ ...minimal, max_completion_tokens: 6 }).outputTokensMax).toBe(6);
    expect(parseChatRequest({ ...minimal, max_tokens: 5, max_completion_tokens: 6 }).outputTokensMax).toBe(6);
    const body = { ...minimal, max_tokens: 0, max_completion_tokens: 6 };
    expect(() => parseChatRequest(body)).toThrow(refusal('max_tokens_invalid', /^max_tokens must/));
  });

  test('CHAT-08 n is how many choices are reserved for', () => {
    expect(parseChatRequest({ ...minimal, n: 4 }).choiceCount).toBe(4);
  });
});

describe('what the request needs of a model', () => {
  test('each need comes from the part of the body that states it', () => {
    const part = (content: unknown) => parseChatRequest({ model: 'm/1', messages: [{ role: 'user', content }] }).needs;
    expect(part([{ type: 'image_url', image_url: { url: 'https://a.test/x.png' } }])).toMatchObject({
      imageInput: true,
    });
    expect(part([{ type: 'file', file: { file_data: 'data:text/plain;base64,aGk=' } }])).toMatchObject({
      fileInput: true,
    });
    expect(part([{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }])).toMatchObject({
      audioInput: true,
    });
    expect(part([{ type: 'video_url', video_url: { url: 'https://a.test/x.mp4' } }])).toMatchObject({
      videoInput: true,
    });
    const tools = [{ type: 'function', function: { name: 'f' } }];
    expect(parseChatRequest({ ...minimal, tools }).needs.tools).toBe(true);
    expect(parseChatRequest({ ...minimal, tools: [] }).needs.tools).toBe(false);
    const json = { type: 'json_object' };
    expect(parseChatRequest({ ...minimal, response_format: json }).needs.responseFormat).toBe(true);
    expect(parseChatRequest({ ...minimal, response_format: { type: 'text' } }).needs.responseFormat).toBe(false);
  });

  test('CHAT-14 image among the modalities asks for image output', () => {
    expect(parseChatRequest({ ...minimal, modalities: ['image', 'text'] }).needs.imageOutput).toBe(true);
    expect(parseChatRequest({ ...minimal, modalities: ['text'] }).needs.imageOutput).toBe(false);
    expect(() => parseChatRequest({ ...minimal, modalities: ['audio'] })).toThrow(refusal('http_400', /^modalities/));
  });

  test('CHAT-15 input_audio beside the messages is checked and counts as audio', () => {
    const audio = { data: 'AAAA', format: 'wav' };
    expect(parseChatRequest({ ...minimal, input_audio: audio }).needs.audioInput).toBe(true);
    const body = { ...minimal, input_audio: { data: 'AAAA' } };
    expect(() => parseChatRequest(body)).toThrow(refusal('missing_required_field', /^input_audio\.format/));
  });

  test('CHAT-17 CHAT-19 hiding and paying for thinking are read from their own fields alone', () => {
    expect(parseChatRequest({ ...minimal, reasoning: { exclude: true } }).hidesReasoning).toBe(true);
    expect(parseChatRequest({ ...minimal, enable_thinking: true }).isThinkingEnabled).toBe(true);
    expect(parseChatRequest({ ...minimal, reasoning: { effort: 'high' } }).isThinkingEnabled).toBe(false);
  });
});

describe('image requests', () => {
  const image = (url: string) => ({ type: 'image_url', image_url: { url } });
  const ask = (content: unknown[]) =>
    parseChatRequest({ model: 'm/1', modalities: ['image'], messages: [{ role: 'user', content }] });
  const text = { type: 'text', text: 'Make it blue.' };

  test('IMG-03 AMB-27 a plain http image is refused when an image is to be made from it, and only then', () => {
    expect(() => ask([text, image('http://a.test/x.png')])).toThrow(refusal('invalid_image_url'));
    expect(ask([text, image('https://a.test/x.png')]).needs.imageInput).toBe(true);
    const looking = { model: 'm/1', messages: [{ role: 'user', content: [text, image('HTTP://a.test/x.png')] }] };
    expect(parseChatRequest(looking).needs.imageInput).toBe(true);
  });

  test('IMG-04 eight input images are taken, a ninth is not', () => {
    const images = Array.from({ length: 9 }, () => image('https://a.test/x.png'));
    expect(ask([text, ...images.slice(1)]).needs.imageOutput).toBe(true);
    expect(() => ask([text, ...images])).toThrow(refusal('too_many_images'));
  });

  test('IMG-05 an image without a text part, or with an empty one, says nothing', () => {
    expect(() => ask([image('https://a.test/x.png')])).toThrow(refusal('missing_prompt'));
    expect(() => ask([{ type: 'text', text: '' }, image('https://a.test/x.png')])).toThrow(refusal('missing_prompt'));
    const call = { id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } };
    const seen = { role: 'tool', tool_call_id: 'a', content: [image('https://a.test/x.png')] };
    const messages = [{ role: 'user', content: 'Draw it.' }, { role: 'assistant', tool_calls: [call] }, seen];
    expect(parseChatRequest({ model: 'm/1', modalities: ['image'], messages }).needs.imageOutput).toBe(true);
  });
});

describe('what real clients send', () => {
  test('CHAT-16 CHAT-24 CHAT-25 AMB-44 VER-06 a coding agent is taken as it is, store apart', () => {
    const body = deepFreeze(fixture('coding-agent-request'));
    const request = parseChatRequest(body);
    expect(request).toMatchObject({ messageCount: 9, outputTokensMax: 32_000, hidesReasoning: true, isStream: true });
    expect(request.needs).toMatchObject({ tools: true, imageInput: false });
    const { store, ...forwarded } = body;
    expect(request.body).toEqual(forwarded);
  });

  test('ROUTE-19 ROUTE-20 a Responses-shaped body is converted, and the original is left alone', () => {
    const body = deepFreeze(fixture('responses-shaped-request'));
    const request = parseChatRequest(body);
    expect(request).toMatchObject({ messageCount: 6, outputTokensMax: 900, isStream: true });
    expect(request.needs).toMatchObject({ tools: true, imageInput: true, responseFormat: true });
    expect(request.body.tool_choice).toBe('auto');
    for (const field of ['input', 'store', 'background', 'truncation', 'previous_response_id', 'max_output_tokens']) {
      expect(request.body).not.toHaveProperty(field);
    }
  });

  test('VER-06 unknown fields never cause an error and are kept', () => {
    const unknown = {
      frobnicate: { deeply: [1, { nested: true }] },
      constructor: 'x',
      toString: 1,
      hasOwnProperty: null,
    };
    const request = parseChatRequest({ ...minimal, ...unknown });
    expect(request.body).toMatchObject({ frobnicate: unknown.frobnicate, constructor: 'x', toString: 1 });
  });

  test('ROUTE-14 route passes without effect; CHAT-13 plugins keep their further keys', () => {
    const body = { ...minimal, route: 'fallback', plugins: [{ id: 'web', max_results: 3 }] };
    expect(parseChatRequest(body).body).toBe(body);
  });
});

test('as much is held for tools that take plain text as for the functions that most upstreams get', () => {
  const grammar = { syntax: 'regex', definition: '.*' };
  const input = '"\n\u0001'.repeat(1_000);
  const called = (call: JsonObject) => ({ ...messages[0], role: 'assistant', content: null, tool_calls: [call] });
  const estimate = (tool: (name: string) => JsonObject, call: JsonObject) => {
    const tools = Array.from({ length: 128 }, (_, index) => tool(`t${index}`));
    return parseChatRequest({ ...minimal, messages: [...messages, called(call)], tools }).promptTokensEstimate;
  };
  const asCustom = estimate((name) => ({ type: 'custom', custom: { name, format: { type: 'grammar', grammar } } }), {
    id: 'c',
    type: 'custom',
    custom: { name: 't0', input },
  });
  const asFunctions = estimate(
    (name) => ({ type: 'function', function: { name, ...describeCustomTool({ grammar }) } }),
    { id: 'c', type: 'function', function: { name: 't0', arguments: customArguments(input) } },
  );
  expect(asCustom).toBeGreaterThanOrEqual(asFunctions);
});
