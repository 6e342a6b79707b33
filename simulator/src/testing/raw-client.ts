// A client that sees the wire: every byte as it came, and how the connection ended. A real HTTP client would hide the
// faults that are tested here.

import { connect } from 'node:net';

export type RawExchange = Readonly<{
  /** Each read of the socket. */
  reads: readonly Buffer[];
  text: string;
  /** `open` when the client left a connection that was still open. */
  ending: 'end' | 'reset' | 'open';
  durationMs: number;
}>;

export type RawRequest = Readonly<{
  port: number;
  body: unknown;
  path?: string;
  headers?: Readonly<Record<string, string>>;
  /** What will have been read when the client leaves, after some silence. Otherwise it waits for the server's end. */
  leavesAfter?: RegExp | undefined;
  /** Stop after this many bytes. */
  byteLimit?: number;
}>;

const SILENCE_MS = 200;

function requestText({ body, path = '/v1/chat/completions', headers = {} }: RawRequest): string {
  const json = JSON.stringify(body);
  const all = {
    host: '127.0.0.1',
    authorization: 'Bearer key',
    'anthropic-version': '2023-06-01',
    connection: 'close',
    'content-length': String(Buffer.byteLength(json)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${json}`;
}

export function sendRaw(request: RawRequest): Promise<RawExchange> {
  const { port, leavesAfter, byteLimit = Number.POSITIVE_INFINITY } = request;
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const reads: Buffer[] = [];
    let byteCount = 0;
    const socket = connect(port, '127.0.0.1');
    const finish = (ending: RawExchange['ending']): void => {
      socket.destroy();
      const text = Buffer.concat(reads).toString();
      resolve({ reads, text, ending, durationMs: performance.now() - startedAt });
    };
    const leaveIfSilent = (): void => {
      if (leavesAfter?.test(Buffer.concat(reads).toString())) socket.setTimeout(SILENCE_MS);
    };
    socket.on('timeout', () => finish('open'));
    leaveIfSilent();
    socket.on('data', (bytes) => {
      reads.push(bytes);
      byteCount += bytes.length;
      leaveIfSilent();
      if (byteCount >= byteLimit) finish('open');
    });
    socket.on('end', () => finish('end'));
    socket.on('error', () => finish('reset'));
    socket.write(requestText(request));
  });
}

/** The body of a raw answer without its chunk framing, as far as it goes. */
export function bodyOf(exchange: RawExchange): Buffer {
  const all = Buffer.concat(exchange.reads);
  const headEnd = all.indexOf('\r\n\r\n') + 4;
  if (!/transfer-encoding: chunked/i.test(all.toString('latin1', 0, headEnd))) return all.subarray(headEnd);
  return Buffer.concat(chunksOf(exchange));
}

/** The chunks as the server framed them. */
export function chunksOf(exchange: RawExchange): readonly Buffer[] {
  const all = Buffer.concat(exchange.reads);
  const chunks: Buffer[] = [];
  let at = all.indexOf('\r\n\r\n') + 4;
  while (at < all.length) {
    const lineEnd = all.indexOf('\r\n', at);
    const length = Number.parseInt(all.toString('latin1', at, lineEnd), 16);
    if (length === 0) break;
    chunks.push(all.subarray(lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 2 + length + 2;
  }
  return chunks;
}

/** True when a chunked body came to its proper end. */
export function isComplete(exchange: RawExchange): boolean {
  return exchange.text.endsWith('\r\n0\r\n\r\n');
}
