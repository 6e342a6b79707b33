// A call as the bytes that go over a connection. Names and values are checked here, whoever gave them, because a line
// end in one of them would be a header of its own.

import { HeaderLines } from '../../platform/header-lines.ts';
import type { WireCall } from './connection.ts';
import type { TransportCall } from './receiver.ts';

export class UnsendableCall extends Error {}

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const TARGET = /^[\x21-\x7e\x80-\xff]+$/;
/** Stated by the connection itself. */
const OWN_NAMES: ReadonlySet<string> = new Set(['connection', 'content-length', 'host', 'transfer-encoding']);
const OWN_LENGTHS: ReadonlySet<number> = new Set([...OWN_NAMES].map((name) => name.length));

function lineOf(name: string, value: string): string {
  if (!NAME.test(name) || !VALUE.test(value)) throw new UnsendableCall('a header of the call cannot be sent');
  const isOwn = OWN_LENGTHS.has(name.length) && OWN_NAMES.has(name.toLowerCase());
  return isOwn ? '' : `${name}: ${value}\r\n`;
}

const givenLines = new HeaderLines(lineOf);
const signatureLines = new HeaderLines(lineOf);

type Place = Readonly<{ host: string; pathPrefix: string }>;

export function wireCall(call: TransportCall, signature: readonly string[], { host, pathPrefix }: Place): WireCall {
  const { method = 'POST', path, headers } = call;
  const target = pathPrefix + path;
  if (!TARGET.test(target)) throw new UnsendableCall('the path of the call cannot be sent');
  const start = `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  const head = start + givenLines.write(headers) + signatureLines.write(signature);
  // A call without a body is a question.
  if (method === 'GET') return { head: `${head}\r\n`, body: null };
  const { body } = call;
  const bytes = bytesOf(body);
  return {
    head: `${head}content-length: ${bytes}\r\n\r\n`,
    // Text beyond ASCII is written as bytes: one character of the head is one byte.
    body: typeof body === 'string' && body.length !== bytes ? Buffer.from(body) : body,
  };
}

function bytesOf(body: TransportCall['body']): number {
  if (typeof body === 'string') return Buffer.byteLength(body);
  return 'byteLength' in body ? body.byteLength : body.reduce((sum, { length }) => sum + length, 0);
}
