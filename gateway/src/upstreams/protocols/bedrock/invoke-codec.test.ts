// Streams of Anthropic's own format in binary messages: what is charged is found wherever it is stated.

import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../canonical/json.ts';
import type { ConversationRequest } from '../../../canonical/request.ts';
import { invokeCodec } from './invoke-codec.ts';

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const header = (name: string, value: string): Buffer =>
  Buffer.from([name.length, ...Buffer.from(name), 7, 0, value.length, ...Buffer.from(value)]);

function pack(event: JsonObject): Buffer {
  const payload = Buffer.from(JSON.stringify({ bytes: Buffer.from(JSON.stringify(event)).toString('base64') }));
  const headers = Buffer.concat([header(':message-type', 'event'), header(':event-type', 'chunk')]);
  const lengths = Buffer.concat([number(headers.length + payload.length + 16), number(headers.length)]);
  const message = Buffer.concat([lengths, number(crc32(lengths)), headers, payload]);
  return Buffer.concat([message, number(crc32(message))]);
}

function read(events: readonly JsonObject[]) {
  const reframer = invokeCodec.createReframer?.({} as ConversationRequest);
  const pieces = events.map((event) => reframer?.push(pack(event)) ?? Buffer.alloc(0));
  const bytes = Buffer.concat([...pieces, reframer?.end() ?? Buffer.alloc(0)]);
  const decoder = invokeCodec.createStreamDecoder();
  const parts = [...decoder.push(bytes), ...decoder.end()];
  const types = [...bytes.toString('utf8').matchAll(/^event: (\w+)/gm)].map(([, type]) => type);
  return { types, usage: parts.findLast((part) => part.type === 'usage')?.usage };
}

const start = (usage: JsonObject) => ({ type: 'message_start', message: { usage } });
const delta = (usage: JsonObject) => ({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage });
const stop = (metrics: JsonObject) => ({ type: 'message_stop', 'amazon-bedrock-invocationMetrics': metrics });
const metrics = {
  inputTokenCount: 3,
  outputTokenCount: 7,
  cacheReadInputTokenCount: 900,
  cacheWriteInputTokenCount: 50,
};
const whole = { promptTokens: 953, completionTokens: 7, cachedTokens: 900, cacheWriteTokens: 50 };
const order = ['message_start', 'message_delta', 'message_stop'];

test('BILL-09 counts that only the end of the stream states are charged', () => {
  const counts = { input_tokens: 3, cache_read_input_tokens: 900, cache_creation_input_tokens: 50 };
  for (const events of [
    [start({ input_tokens: 3 }), delta({ output_tokens: 7 }), stop(metrics)],
    [start({ input_tokens: 3 }), delta({ output_tokens: 7 }), { type: 'message_stop', usage: counts }],
    [start({}), delta({}), stop(metrics)],
  ]) {
    expect(read(events)).toMatchObject({ types: order, usage: whole });
  }
});

test('BILL-09 the output that was counted at the start is not the whole', () => {
  const events = [start({ input_tokens: 3, output_tokens: 1 }), delta({}), stop(metrics)];
  expect(read(events).usage).toMatchObject(whole);
});

test('BILL-09 a ping before the end does not cost the counts that follow it', () => {
  const events = [start({ input_tokens: 3 }), delta({ output_tokens: 7 }), { type: 'ping' }, stop(metrics)];
  expect(read(events)).toMatchObject({
    types: ['message_start', 'ping', 'message_delta', 'message_stop'],
    usage: whole,
  });
});

test('BILL-09 what the usual events state is believed', () => {
  const stated = { input_tokens: 10, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  const { types, usage } = read([start(stated), delta({ output_tokens: 5 }), stop(metrics)]);
  expect(types).toEqual(order);
  expect(usage).toMatchObject({ promptTokens: 10, completionTokens: 5, cachedTokens: 0 });
});

test('F30 final counts wait for nothing where none is missing, so that a connection that is lost does not cost them', () => {
  const reframer = invokeCodec.createReframer?.({} as ConversationRequest);
  const counts = { input_tokens: 3, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  const pieces = [start(counts), delta({ output_tokens: 7 })].map((event) => reframer?.push(pack(event)).toString());
  expect(pieces.join('')).toContain('event: message_delta');
});

test('BILL-09 a stream that breaks off after its counts still has them', () => {
  const { types, usage } = read([start({ input_tokens: 3 }), delta({ output_tokens: 7 })]);
  expect(types).toEqual(order.slice(0, 2));
  expect(usage).toMatchObject({ promptTokens: 3, completionTokens: 7 });
});
