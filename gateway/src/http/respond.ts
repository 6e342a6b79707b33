// Whole answers. Headers travel as one flat array straight into `writeHead`: setting them one by one builds and copies
// an object for every response.

import { type Content, JSON_TYPE } from '../canonical/answer.ts';
import type { Exchange } from './exchange.ts';
import { isWorthZipping, sendZipped } from './zip-json.ts';

export type HeaderList = readonly string[];

const NO_HEADERS: HeaderList = [];

export function sendJson(exchange: Exchange, status: number, body: unknown, headers: HeaderList = NO_HEADERS): void {
  const text = JSON.stringify(body);
  const list = exchange.headers.concat(headers);
  list.push('Content-Type', JSON_TYPE);
  if (isWorthZipping(exchange, status, text)) {
    sendZipped(exchange, status, text, list);
    return;
  }
  list.push('Content-Length', String(Buffer.byteLength(text)));
  exchange.response.writeHead(status, list).end(text);
}

export function sendBytes(
  exchange: Exchange,
  status: number,
  content: Content,
  headers: HeaderList = NO_HEADERS,
): void {
  const { body, type } = content;
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
  const list = exchange.headers.concat(headers);
  list.push('Content-Type', type, 'Content-Length', String(length));
  const { response } = exchange;
  response.writeHead(status, list);
  response.end(body);
}

/** The head of a file whose bytes follow. `nosniff` keeps a browser from taking it for something else. */
export function startFile(exchange: Exchange, type: string): void {
  const headers = ['Content-Type', type, 'X-Content-Type-Options', 'nosniff'];
  exchange.response.writeHead(200, exchange.headers.concat(headers));
}

export function sendEmpty(exchange: Exchange, status: number, headers: HeaderList = NO_HEADERS): void {
  const list = exchange.headers.concat(headers);
  // A 204 has no body by definition, and a length of zero on it confuses some proxies.
  if (status !== 204) list.push('Content-Length', '0');
  exchange.response.writeHead(status, list).end();
}
