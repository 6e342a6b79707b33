// Whole answers. Headers travel as one flat array straight into `writeHead`: setting them one by one builds and copies
// an object for every response.

import type { Content } from '../canonical/content.ts';
import type { Exchange } from './exchange.ts';

export type HeaderList = readonly string[];

const NO_HEADERS: HeaderList = [];

export function sendJson(exchange: Exchange, status: number, body: unknown, headers: HeaderList = NO_HEADERS): void {
  const text = JSON.stringify(body);
  const list = exchange.headers.concat(headers);
  list.push('Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(Buffer.byteLength(text)));
  exchange.response.writeHead(status, list).end(text);
}

export function sendBytes(
  exchange: Exchange,
  status: number,
  content: Content,
  headers: HeaderList = NO_HEADERS,
): void {
  const length = typeof content.body === 'string' ? Buffer.byteLength(content.body) : content.body.byteLength;
  const list = exchange.headers.concat(headers);
  list.push('Content-Type', content.type, 'Content-Length', String(length));
  exchange.response.writeHead(status, list).end(content.body);
}

/** The head of a file whose bytes follow as they come. A browser must not take it for anything else. */
export function startFile(exchange: Exchange, type: string): void {
  const headers = ['Content-Type', type, 'X-Content-Type-Options', 'nosniff', 'Cache-Control', 'no-store'];
  exchange.response.writeHead(200, exchange.headers.concat(headers));
}

export function sendEmpty(exchange: Exchange, status: number, headers: HeaderList = NO_HEADERS): void {
  const list = exchange.headers.concat(headers);
  // A 204 has no body by definition, and a length of zero on it confuses some proxies.
  if (status !== 204) list.push('Content-Length', '0');
  exchange.response.writeHead(status, list).end();
}
