// A provider with some endpoints and no others: it answers 404 to everything else, and keeps what it was sent.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

type Seen = Readonly<{ path: string; type: string; text: string }>;

export class FewEndpoints {
  readonly seen: Seen[] = [];
  readonly #server: Server;

  constructor(
    endpoints: Readonly<Record<string, (body: string, path: string) => Readonly<{ type: string; text: string }>>>,
  ) {
    this.#server = createServer(async (request, response) => {
      const path = request.url ?? '';
      const text = await bodyOf(request);
      this.seen.push({ path, type: String(request.headers['content-type']), text });
      const answer = Object.entries(endpoints).find(([end]) => path.endsWith(end))?.[1];
      if (answer === undefined) {
        response.writeHead(404, { 'content-type': 'application/json' });
        response.end('{"error":{"message":"Unknown request URL","type":"invalid_request_error","code":"unknown_url"}}');
        return;
      }
      const made = answer(text, path);
      response.writeHead(200, { 'content-type': made.type });
      response.end(made.text);
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  get paths(): readonly string[] {
    return this.seen.map(({ path }) => path);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('latin1');
}
