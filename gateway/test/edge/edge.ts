// An edge with the rows of a test: the real server on a free port, and raw sockets for bytes that no client would send.

import { connect } from 'node:net';
import type { RouteRow } from '../../src/http/exchange.ts';
import { createHttpServer, type HttpServer, type HttpServerOptions } from '../../src/http/server.ts';
import type { LogFields, Logger } from '../../src/platform/logger.ts';

type LogLine = Readonly<{ level: string; fields: LogFields; message: string }>;

export type Edge = Readonly<{
  url: string;
  port: number;
  server: HttpServer;
  log: LogLine[];
  close(): Promise<void>;
}>;

export async function startEdge(routes: readonly RouteRow[], options: Partial<HttpServerOptions> = {}): Promise<Edge> {
  const log: LogLine[] = [];
  const logger = recordingLogger(log);
  const server = createHttpServer({ routes, logger, ...options });
  const { port } = await server.listen(0, '127.0.0.1');
  return { url: `http://127.0.0.1:${port}`, port, server, log, close: () => server.drain(0) };
}

function recordingLogger(log: LogLine[]): Logger {
  const at = (level: string) => (fields: LogFields, message: string) => {
    log.push({ level, fields, message });
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

export const route = (
  method: RouteRow['method'],
  path: string,
  handle: RouteRow['handle'],
  more: Partial<RouteRow> = {},
): RouteRow => ({ method, path, access: 'public', handle, ...more });

/** Sends bytes as they are and answers everything that comes back until the server closes, or until enough has come. */
export function sendRaw(port: number, text: string, isEnough = (_received: string) => false): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
    let received = '';
    const finish = () => {
      socket.destroy();
      resolve(received);
    };
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (isEnough(received)) finish();
    });
    socket.on('close', finish);
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') finish();
      else reject(error);
    });
  });
}

export const statusesIn = (received: string): number[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]));
