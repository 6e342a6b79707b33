// Servers that behave like vendors: they check the key in the vendor's own header, list models, answer a chat with
// usage, refuse in the vendor's own words, and remember their requests.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createBookData } from './book-data.ts';

export const GOOD_KEY = 'sk-stand-in-good-key';
export const USAGE = { prompt: 1_000, completion: 500 };

export type StandIn = {
  url: string;
  /** What the list holds now; a test may change it. */
  models: unknown[];
  /** In place of an answer to a chat, when set. */
  refusal: { status: number; body: unknown } | null;
  asked: { method: string; path: string; body: Record<string, unknown> }[];
  close(): Promise<void>;
};

type Vendor = Readonly<{
  keyOf(request: IncomingMessage): string | undefined;
  listPath: string;
  list(models: readonly unknown[]): unknown;
  answer(model: string): unknown;
  wrongKey: { status: number; body: unknown };
}>;

const bearer = (request: IncomingMessage) => request.headers.authorization?.replace('Bearer ', '');
const chatAnswer = (model: string) => ({
  ...{ id: 'c1', object: 'chat.completion', created: 1, model },
  choices: [{ index: 0, message: { role: 'assistant', content: 'OK' }, finish_reason: 'stop' }],
  usage: {
    ...{ prompt_tokens: USAGE.prompt, completion_tokens: USAGE.completion },
    total_tokens: USAGE.prompt + USAGE.completion,
  },
});

const vendors: Readonly<Record<string, Vendor>> = {
  openai: {
    keyOf: bearer,
    listPath: '/v1/models',
    list: (data) => ({ object: 'list', data }),
    answer: chatAnswer,
    wrongKey: {
      status: 401,
      body: { error: { message: 'Incorrect API key provided: sk-wr***ng.', code: 'invalid_api_key' } },
    },
  },
  anthropic: {
    keyOf: (request) => request.headers['x-api-key'] as string | undefined,
    listPath: '/v1/models',
    list: (data) => ({ data, has_more: false, first_id: null, last_id: null }),
    answer: (model) => ({
      ...{ id: 'm1', type: 'message', role: 'assistant', model, stop_reason: 'end_turn', stop_sequence: null },
      content: [{ type: 'text', text: 'OK' }],
      usage: { input_tokens: USAGE.prompt, output_tokens: USAGE.completion },
    }),
    wrongKey: {
      status: 401,
      body: { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } },
    },
  },
  google: {
    keyOf: (request) => request.headers['x-goog-api-key'] as string | undefined,
    listPath: '/v1beta/models',
    list: (models) => ({ models }),
    answer: () => ({
      candidates: [{ content: { role: 'model', parts: [{ text: 'OK' }] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: {
        ...{ promptTokenCount: USAGE.prompt, candidatesTokenCount: USAGE.completion },
        totalTokenCount: USAGE.prompt + USAGE.completion,
      },
    }),
    wrongKey: {
      status: 400,
      body: {
        error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' },
      },
    },
  },
  openrouter: {
    keyOf: bearer,
    listPath: '/api/v1/models',
    list: (data) => ({ data }),
    answer: chatAnswer,
    wrongKey: { status: 401, body: { error: { message: 'No auth credentials found', code: 401 } } },
  },
};

const STARTING_MODELS: Readonly<Record<string, unknown[]>> = {
  openai: ['gpt-4o-mini', 'gpt-4o', 'text-embedding-3-small', 'gpt-4o-realtime-preview', 'brand-new-model'].map(
    (id) => ({ id, object: 'model' }),
  ),
  anthropic: [{ type: 'model', id: 'claude-sonnet-4-5-20250929', display_name: 'Claude Sonnet 4.5' }],
  google: [
    {
      name: 'models/gemini-2.5-flash',
      displayName: 'Gemini 2.5 Flash',
      inputTokenLimit: 1048576,
      outputTokenLimit: 65536,
    },
  ],
  openrouter: [
    {
      id: 'acme/thinker-9',
      name: 'Acme: Thinker 9',
      context_length: 32768,
      pricing: { prompt: '0.0000004', completion: '0.0000016' },
      top_provider: { max_completion_tokens: 4096 },
    },
  ],
};

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const close = (server: Server) => async (): Promise<void> => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
};

export async function startStandIn(name: string): Promise<StandIn> {
  const vendor = vendors[name];
  if (vendor === undefined) throw new Error(`there is no stand-in for ${name}`);
  const send = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString('utf8');
    const [path = ''] = (request.url ?? '').split('?');
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    standIn.asked.push({ method: request.method ?? '', path, body });
    if (vendor.keyOf(request) !== GOOD_KEY) return send(response, vendor.wrongKey.status, vendor.wrongKey.body);
    if (request.method === 'GET') {
      return path === vendor.listPath ? send(response, 200, vendor.list(standIn.models)) : send(response, 404, {});
    }
    if (standIn.refusal !== null) return send(response, standIn.refusal.status, standIn.refusal.body);
    return send(response, 200, vendor.answer(String(body.model ?? 'm')));
  });
  const origin = await listen(server);
  const standIn: StandIn = {
    url: origin + vendor.listPath.replace('/models', ''),
    models: [...(STARTING_MODELS[name] ?? [])],
    refusal: null,
    asked: [],
    close: close(server),
  };
  return standIn;
}

/** Publishes a price book; a factor makes everything dearer, and odd models are the first of each vendor. */
export async function startBook() {
  const server = createServer((_request, response) => {
    const data = createBookData(book.factor).map((vendor) => ({ ...vendor, models: [...book.odd, ...vendor.models] }));
    response.writeHead(200).end(book.isBroken ? '<html>' : JSON.stringify(data));
  });
  const odd: unknown[] = [];
  const book = { url: `${await listen(server)}/data.json`, factor: 1, odd, isBroken: false, close: close(server) };
  return book;
}
