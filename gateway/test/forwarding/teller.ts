// A provider that serves every call from a dearer tier than was asked for, and says so where each format says it.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Teller = Readonly<{ url: string; close(): Promise<void> }>;

const TIER = { service_tier: 'priority' };
const usage = { prompt_tokens: 1_000, completion_tokens: 1_000, total_tokens: 2_000 };
const counts = { input_tokens: 1_000, output_tokens: 1_000 };
const chunk = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', ...TIER };

const whole: Readonly<Record<string, unknown>> = {
  '/v1/chat/completions': {
    ...{ id: 'c1', object: 'chat.completion', created: 1, model: 'm', usage, ...TIER },
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
  },
  '/v1/responses': {
    ...{ id: 'r1', object: 'response', created_at: 1, model: 'm', status: 'completed', ...TIER },
    output: [
      {
        ...{ type: 'message', id: 'm1', role: 'assistant', status: 'completed' },
        content: [{ type: 'output_text', text: 'Hi.', annotations: [] }],
      },
    ],
    usage: { ...counts, total_tokens: 2_000 },
  },
  '/v1/messages': {
    ...{ id: 'm1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', stop_sequence: null },
    content: [{ type: 'text', text: 'Hi.' }],
    usage: { ...counts, ...TIER },
  },
};

const stream = [
  { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi.' }, finish_reason: null }] },
  { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { ...chunk, choices: [], usage },
].map((frame) => `data: ${JSON.stringify(frame)}\n\n`);

export async function startTeller(): Promise<Teller> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text) => {
      body += text;
    });
    request.on('end', () => {
      const isStream = (JSON.parse(body) as { stream?: boolean }).stream === true;
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
      response.end(isStream ? `${stream.join('')}data: [DONE]\n\n` : JSON.stringify(whole[request.url ?? '']));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
