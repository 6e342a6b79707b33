// What an upstream says in its errors may quote the prompt. Nothing of it reaches a log, whichever way it fails.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LogFields } from '../../src/platform/logger.ts';
import { type Harness, startHarness } from '../harness.ts';

const CANARY = 'canary-prompt-7f3a';
const lines: string[] = [];

/** An upstream that repeats what it was sent, in each of its failures. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => answer(response, Buffer.concat(chunks).toString()));
});

function answer(response: ServerResponse, text: string): void {
  const { model, messages } = JSON.parse(text) as { model: string; messages: { content: string }[] };
  const quoted = `cannot process: ${messages.map(({ content }) => content).join(' ')}`;
  const error = { error: { type: 'invalid_request_error', code: quoted, message: quoted } };
  if (model === 'plain') return void response.writeHead(500).end(quoted);
  if (model === 'stream') {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    return void response.end(`data: ${JSON.stringify(error)}\n\n`);
  }
  const status = model === 'within' ? 200 : Number(model);
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(error));
}

let harness: Harness;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const record = (fields: LogFields, message: string): void => {
    const error = fields.error instanceof Error ? `${fields.error.stack} ${String(fields.error.cause)}` : '';
    lines.push(`${message} ${JSON.stringify({ ...fields, error })}`);
  };
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const names = ['400', '401', '403', '404', '409', '422', '429', '500', 'plain', 'within', 'stream'];
  const entry = { context_length: 8_000, pricing: { prompt: '1', completion: '1' } };
  harness = await startHarness({
    document: {
      providers: { rude: { protocol: 'openai', base_url, api_key: 'unused' } },
      models: Object.fromEntries(
        names.map((name) => [`rude/${name}`, { ...entry, routes: [{ provider: 'rude', upstream_model: name }] }]),
      ),
    },
    start: { logger: { debug: record, info: record, warn: record, error: record } },
  });
});

afterAll(async () => {
  await harness.close();
  server.closeAllConnections();
  server.close();
});

test.each(['400', '401', '403', '404', '409', '422', '429', '500', 'plain', 'within', 'stream'])(
  'an upstream that fails with %s and quotes the prompt is logged without it',
  async (name) => {
    const { key } = await harness.account(5);
    const before = lines.length;
    for (const stream of [false, true]) {
      const answered = await harness.chat(key, {
        model: `rude/${name}`,
        stream,
        messages: [{ role: 'user', content: CANARY }],
      });
      expect(answered.text).not.toContain(CANARY);
    }
    const logged = lines.slice(before).join('\n');
    expect(logged).toContain('rude');
    expect(logged).not.toContain(CANARY);
  },
);
