// The reference for the targets: the smallest correct proxy in Node, node:http in and undici's dispatch out. With
// `parse` as its argument it parses and rewrites every frame of a stream, as gateways commonly do.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type Dispatcher, Pool } from 'undici';

const CONNECTIONS_MAX = 2_048;

const [upstreamOrigin = '', relay = 'pipe'] = process.argv.slice(2);

const pool = new Pool(upstreamOrigin, {
  connections: CONNECTIONS_MAX,
  pipelining: 1,
  headersTimeout: 0,
  bodyTimeout: 0,
});

/** A class, so that a call allocates one object and no closures. */
class PipeHandler {
  protected readonly response: ServerResponse;
  #controller: Dispatcher.DispatchController | null = null;

  constructor(response: ServerResponse) {
    this.response = response;
    response.on('drain', () => this.#controller?.resume());
    response.on('close', () => {
      if (!response.writableFinished) this.#controller?.abort(new Error('the client has left'));
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    const type = headers['content-type'] ?? 'application/octet-stream';
    const length = headers['content-length'];
    this.response.writeHead(
      status,
      length === undefined ? { 'content-type': type } : { 'content-type': type, 'content-length': length },
    );
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.response.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.response.end();
  }

  onResponseError(): void {
    if (this.response.headersSent) this.response.destroy();
    else this.response.writeHead(502).end();
  }
}

class ParseHandler extends PipeHandler {
  readonly #decoder = new TextDecoder();
  #isStream = false;
  #rest = '';

  override onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    this.#isStream = headers['content-type'] === 'text/event-stream';
    super.onResponseStart(controller, status, headers);
  }

  override onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#isStream) {
      super.onResponseData(controller, chunk);
      return;
    }
    const frames = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split('\n\n');
    this.#rest = frames.pop() ?? '';
    for (const frame of frames) {
      if (!this.response.write(rewrite(frame))) controller.pause();
    }
  }
}

function rewrite(frame: string): string {
  const data = frame.slice('data: '.length);
  if (data === '[DONE]') return `${frame}\n\n`;
  const event = JSON.parse(data) as Record<string, unknown>;
  event.model = 'bench';
  return `data: ${JSON.stringify(event)}\n\n`;
}

const Handler = relay === 'parse' ? ParseHandler : PipeHandler;

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const body = parts.length === 1 ? (parts[0] ?? null) : Buffer.concat(parts);
    const headers = ['content-type', 'application/json', 'authorization', request.headers.authorization ?? ''];
    pool.dispatch({ path: request.url ?? '/', method: 'POST', headers, body }, new Handler(response));
  });
});
server.keepAliveTimeout = 60_000;
server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => process.send?.(server.address()));
process.on('disconnect', () => process.exit());
