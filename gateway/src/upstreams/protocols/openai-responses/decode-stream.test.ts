// The same parts come out however the bytes are split, and the protocol reads what the Responses dialect writes.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../canonical/json.ts';
import type { StreamPart } from '../../../canonical/stream-part.ts';
import { zeroUsage } from '../../../canonical/usage.ts';
import { responsesDialect } from '../../../dialects/responses/responses-dialect.ts';
import { createResponseStreamDecoder } from './decode-stream.ts';

const fixtures = new URL('../../../dialects/responses/__fixtures__/', import.meta.url);
const recorded = readFileSync(new URL('reasoning-and-text.txt', fixtures));
const calls = readFileSync(new URL('interleaved-calls.txt', fixtures));

function decode(pieces: readonly Buffer[]): StreamPart[] {
  const decoder = createResponseStreamDecoder();
  return [...pieces.flatMap((piece) => [...decoder.push(piece)]), ...decoder.end()];
}

const event = (type: string, members: JsonObject): Buffer =>
  Buffer.from(`event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`);

describe('recorded streams', () => {
  test('of thinking and text', () => {
    expect(decode([recorded])).toEqual([
      { type: 'reasoning-start', itemId: expect.stringMatching(/^rs_/) },
      { type: 'reasoning-delta', text: '**Grüße' },
      { type: 'reasoning-delta', text: ' überlegen**\n\n' },
      { type: 'reasoning-delta', text: 'Ich sage ' },
      { type: 'reasoning-delta', text: '„Hallo“.' },
      { type: 'reasoning-end', encryptedContent: expect.stringMatching(/^gAAAAA.*==$/) },
      { type: 'text-start' },
      ...['Grüß', ' dich', ', ', '世界', '!', ' 👋'].map((text) => ({ type: 'text-delta', text })),
      { type: 'text-end' },
      { type: 'finish', reason: 'stop', native: 'completed', stopSequence: null },
      { type: 'usage', usage: expect.objectContaining({ promptTokens: 36, completionTokens: 87, cachedTokens: 4 }) },
      { type: 'done' },
    ]);
  });

  test('of calls side by side, with their exact arguments', () => {
    const parts = decode([calls]);
    const argumentsOf = (index: number) =>
      parts.map((part) => (part.type === 'tool-input-delta' && part.index === index ? part.text : '')).join('');
    expect(argumentsOf(0)).toBe('{"city":"São Paulo","days": 1.0}');
    expect(argumentsOf(1)).toBe('{"q":"\\"x\\" \\\\ y"}');
    expect(parts.filter(({ type }) => type === 'tool-input-start')).toEqual([
      { type: 'tool-input-start', index: 0, id: 'call_A', name: 'get_weather' },
      { type: 'tool-input-start', index: 1, id: 'call_B', name: 'search' },
    ]);
    expect(parts).toContainEqual(expect.objectContaining({ type: 'finish', reason: 'tool_calls' }));
  });

  test('of a tool that takes plain text, in pieces or at the end', () => {
    const item = { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: '' };
    const added = event('response.output_item.added', { output_index: 0, item });
    const delta = event('response.custom_tool_call_input.delta', { output_index: 0, delta: '+"x' });
    const told = event('response.custom_tool_call_input.done', { output_index: 0, input: '+"x' });
    const done = event('response.output_item.done', { output_index: 0, item: { ...item, input: '+"x' } });
    const last = event('response.completed', {
      response: { status: 'completed', output: [{ ...item, input: '+"x' }] },
    });
    for (const pieces of [[added, delta, told, done], [added, told, done], [added, done], [done], []]) {
      expect(decode([...pieces, last])).toEqual([
        { type: 'tool-input-start', index: 0, id: 'c', name: 'patch', isPlain: true },
        { type: 'tool-input-delta', index: 0, text: '+"x' },
        { type: 'tool-input-end', index: 0 },
        { type: 'finish', reason: 'tool_calls', native: 'completed', stopSequence: null },
        { type: 'done' },
      ]);
    }
  });

  test('are the same at every split', () => {
    const whole = decode([calls]);
    for (let offset = 1; offset < calls.length; offset += 7) {
      expect(decode([calls.subarray(0, offset), calls.subarray(offset)])).toEqual(whole);
    }
  });
});

describe('what an upstream may do wrong', () => {
  test.each([
    ['not JSON', Buffer.from('data: nonsense\n\n'), 'malformed'],
    ['a call without a name', event('response.output_item.added', { item: { type: 'function_call' } }), 'malformed'],
    ['a last event without a response', event('response.completed', {}), 'malformed'],
    ['a failed response', event('response.failed', { response: { error: { code: 'x' } } }), 'upstream-error'],
    ['an error event', event('error', { message: 'x' }), 'upstream-error'],
    ['an endless line', Buffer.alloc(9 * 1024 * 1024, 'x'), 'oversize'],
  ])('%s is a fault, and nothing follows it', (_, bytes, kind) => {
    const parts = decode([bytes, recorded]);
    expect(parts).toEqual([{ type: 'error', fault: expect.objectContaining({ kind }) }]);
  });

  test('ROUTE-12 a prompt that is too long is the fault of the request', () => {
    const error = { code: 'context_length_exceeded', message: 'Your input exceeds the context window.' };
    const fault = { kind: 'upstream-error', detail: 'context_length_exceeded', status: 400 };
    expect(decode([event('response.failed', { response: { error } })])).toEqual([{ type: 'error', fault }]);
  });

  test('unknown events, heartbeats and members of the wrong type say nothing', () => {
    const noise = [
      event('response.new_kind', { x: 1 }),
      event('keepalive', {}),
      event('response.output_text.delta', { delta: 5 }),
      event('response.function_call_arguments.delta', { output_index: 9, delta: 'x' }),
      event('response.output_item.added', { item: 5 }),
      event('response.output_item.done', { output_index: 3 }),
    ];
    expect(decode(noise)).toEqual([]);
  });

  test('arguments that only come at the end come all the same', () => {
    const item = { type: 'function_call', call_id: 'c', name: 'f', arguments: '' };
    const parts = decode([
      event('response.output_item.added', { output_index: 0, item }),
      event('response.output_item.done', { output_index: 0, item: { ...item, arguments: '{"a":1}' } }),
    ]);
    expect(parts[1]).toEqual({ type: 'tool-input-delta', index: 0, text: '{"a":1}' });
  });
});

test('RESP-13 RESP-15 what the dialect writes is read back as it was', () => {
  const request = responsesDialect.parse({ model: 'acme/x', input: 'Hi' });
  const context = { id: 'gen-1', modelId: 'acme/x', createdSeconds: 5, request };
  const words = fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1, maxLength: 3 });
  const block = fc.record({ kind: fc.constantFrom('text', 'reasoning', 'call'), words });
  fc.assert(
    fc.property(fc.array(block, { maxLength: 4 }), (blocks) => {
      let callCount = 0;
      const parts = blocks.flatMap((spoken): StreamPart[] => {
        if (spoken.kind === 'text') {
          return [
            { type: 'text-start' },
            ...spoken.words.map((text): StreamPart => ({ type: 'text-delta', text })),
            { type: 'text-end' },
          ];
        }
        if (spoken.kind === 'reasoning') {
          return [
            { type: 'reasoning-start', itemId: 'rs_1' },
            ...spoken.words.map((text): StreamPart => ({ type: 'reasoning-delta', text })),
            { type: 'reasoning-end', encryptedContent: 'ENC' },
          ];
        }
        const index = callCount++;
        return [
          { type: 'tool-input-start', index, id: `c${index}`, name: 'f', ...(index % 2 === 1 && { isPlain: true }) },
          ...spoken.words.map((text): StreamPart => ({ type: 'tool-input-delta', index, text })),
          { type: 'tool-input-end', index },
        ];
      });
      const renderer = responsesDialect.createRenderer(context);
      const usage = { ...zeroUsage, promptTokens: 3, completionTokens: 2 };
      const finish = { reason: 'stop', native: null, stopSequence: null } as const;
      const text = parts.map((part) => renderer.render(part)).join('') + renderer.finale(finish, usage, 0);
      const content = decode([Buffer.from(text)]).filter(({ type }) => !['finish', 'usage', 'done'].includes(type));
      expect(content).toEqual(parts);
    }),
    { numRuns: 200 },
  );
});

test('nothing follows the error of a call without an id that only the last event tells', () => {
  const output = [
    { type: 'function_call', name: 'weather', arguments: '{}' },
    { type: 'message', content: [] },
  ];
  const event = { type: 'response.completed', response: { status: 'completed', output, usage: { input_tokens: 1 } } };
  const decoder = createResponseStreamDecoder();
  const parts = [...decoder.push(Buffer.from(`data: ${JSON.stringify(event)}\n\n`)), ...decoder.end()];
  expect(parts.map(({ type }) => type)).toEqual(['error']);
});
