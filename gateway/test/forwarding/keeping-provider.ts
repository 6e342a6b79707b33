// A provider that keeps state in the one account that it knows, as real ones do: a request that names something kept
// there, at any depth and in any field, gets it. Two callers of a gateway share that account.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type KeepingProvider = Readonly<{
  url: string;
  /** What the last request said, header flags included. */
  last(): Readonly<{ path: string; body: string; headers: IncomingMessage['headers'] }>;
  count(): number;
  /** Requests that named something that is kept. */
  namingCount(): number;
  close(): Promise<void>;
}>;

/** Everything in the account has a name that begins with this. */
export const KEPT = 'kept-by-the-provider';
export const SECRET = 'the secret of another tenant';

export async function startKeepingProvider(): Promise<KeepingProvider> {
  let count = 0;
  let namingCount = 0;
  let last = { path: '', body: '', headers: {} as IncomingMessage['headers'] };
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      // Requests that the gateway makes by itself, such as asking for the state of a video, do not count.
      if (request.method === 'POST') {
        count += 1;
        if (body.includes(KEPT)) namingCount += 1;
        last = { path: request.url ?? '', body, headers: request.headers };
      }
      answer(request.url ?? '', body.includes(KEPT) ? SECRET : 'nothing of interest', response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    last: () => last,
    count: () => count,
    namingCount: () => namingCount,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('latin1');
}

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const counts = { input_tokens: 10, output_tokens: 5 };

const answers: Readonly<Record<string, (text: string) => unknown>> = {
  '/v1/chat/completions': (content) => ({
    ...{ id: 'c1', object: 'chat.completion', created: 1, model: 'm', usage },
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  }),
  '/v1/responses': (text) => ({
    ...{ id: 'r1', object: 'response', created_at: 1, model: 'm', status: 'completed' },
    output: [
      {
        ...{ type: 'message', id: 'm1', role: 'assistant', status: 'completed' },
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    ],
    usage: { ...counts, total_tokens: 15 },
  }),
  '/v1/messages': (text) => ({
    ...{ id: 'm1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', stop_sequence: null },
    content: [{ type: 'text', text }],
    usage: counts,
  }),
  '/v1/completions': (text) => ({
    ...{ id: 'c1', object: 'text_completion', created: 1, model: 'm', usage },
    choices: [{ index: 0, text, finish_reason: 'stop', logprobs: null }],
  }),
  '/v1/moderations': () => ({
    ...{ id: 'm1', model: 'm' },
    results: [{ flagged: false, categories: {}, category_scores: {} }],
  }),
  '/v1/rerank': () => ({ id: 'r1', results: [0, 1].map((index) => ({ index, relevance_score: 0.5 })) }),
  '/v1/embeddings': () => ({
    ...{ object: 'list', model: 'm', data: [{ object: 'embedding', index: 0, embedding: [1, 0] }] },
    usage: { prompt_tokens: 10, total_tokens: 10 },
  }),
  '/v1/images/generations': () => ({ created: 1, data: [{ b64_json: PIXEL }] }),
  '/v1/images/edits': () => ({ created: 1, data: [{ b64_json: PIXEL }] }),
  '/v1/videos': () => ({ id: 'v1', object: 'video', status: 'queued', progress: 0 }),
  '/v1/audio/transcriptions': (text) => ({ text, usage: { type: 'duration', seconds: 1 } }),
};

export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function answer(path: string, text: string, response: ServerResponse): void {
  if (path === '/v1/audio/speech') {
    response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(Buffer.from([0xff, 0xfb, 0x90, 0x00]));
    return;
  }
  const body = answers[path]?.(text) ?? { error: { message: 'unknown path' } };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
