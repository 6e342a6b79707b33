// A stream in binary messages whose connection breaks when the answer is complete and only the service's own counts are
// missing: the client has its answer, and it is charged.

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, type Json, startHarness } from '../harness.ts';

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const header = (name: string, value: string): Buffer =>
  Buffer.from([name.length, ...Buffer.from(name), 7, 0, value.length, ...Buffer.from(value)]);

function pack(event: Json): Buffer {
  const payload = Buffer.from(JSON.stringify({ bytes: Buffer.from(JSON.stringify(event)).toString('base64') }));
  const headers = Buffer.concat([header(':message-type', 'event'), header(':event-type', 'chunk')]);
  const lengths = Buffer.concat([number(headers.length + payload.length + 16), number(headers.length)]);
  const message = Buffer.concat([lengths, number(crc32(lengths)), headers, payload]);
  return Buffer.concat([message, number(crc32(message))]);
}

const words: readonly Json[] = [
  { type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 100 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'All of it.' } },
  { type: 'content_block_stop', index: 0 },
];
const finish: Json = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 20 } };

let write: (response: ServerResponse) => void = () => {};
const provider = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
    write(response);
  });
});

let harness: Harness;

beforeAll(async () => {
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const base_url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const keys = { region: 'us-east-1', access_key_id: 'AKIDEXAMPLE', secret_access_key: 'secret' };
  const routes = [{ provider: 'bedrock', upstream_model: 'anthropic.claude-x' }];
  harness = await startHarness({
    document: {
      providers: { bedrock: { protocol: 'bedrock', base_url, ...keys } },
      models: { 'acme/claude': { pricing: { prompt: '1', completion: '1' }, routes } },
    },
  });
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
  provider.close();
});

async function ask(): Promise<string> {
  const { key } = await harness.account();
  const messages = [{ role: 'user', content: 'Go on.' }];
  const body = { model: 'acme/claude', max_tokens: 50, stream: true, messages };
  return (await harness.request('POST', '/v1/messages', { key, body })).text;
}

const cutAfter = (events: readonly Json[], rest: Buffer = Buffer.alloc(0)) => {
  write = (response) => {
    response.write(Buffer.concat([...events.map(pack), rest]));
    setTimeout(() => response.destroy(), 20);
  };
};

test.each([
  ['between two messages', Buffer.alloc(0)],
  ['amid a message', pack({ type: 'message_stop' }).subarray(0, 30)],
])(
  'BILL-05 BILL-09 an answer that is complete when its connection breaks %s is charged and ends well',
  async (_, rest) => {
    cutAfter([...words, finish], rest);
    const text = await ask();
    expect(text).toContain('All of it.');
    expect(text).toContain('event: message_stop');
    expect(text).not.toContain('event: error');
    expect(JSON.parse(/data: (.*"message_delta".*)/.exec(text)?.[1] ?? '{}')).toMatchObject({
      usage: { output_tokens: 20 },
    });
  },
);

test('BILL-05 one that is not complete is neither', async () => {
  cutAfter(words);
  const text = await ask();
  expect(text).toContain('event: error');
  expect(text).not.toContain('event: message_stop');
});
