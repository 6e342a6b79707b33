// Starts and stops a simulator: an HTTP server on loopback, its record of requests, and the scripts for its next
// answers.

import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { parseCommands } from './commands.ts';
import { createHandler } from './handler.ts';
import { createRecorder, type RecordedRequest } from './recorder.ts';
import { createScripts, type Responder, type ScriptOptions } from './scripts.ts';

const KEEP_ALIVE_MS = 75_000;
const HEADER_BYTES_MAX = 64 * 1024;
const LISTEN_BACKLOG = 4096;
const DEFAULT_RECORD_LIMIT = 1_000;

export type SimulatorOptions = Readonly<{
  /** Zero, the default, takes a free port. */
  port?: number;
  host?: string;
  /** Commands for every request, such as `delay-20`. Commands of the request itself have precedence. */
  commands?: string;
  /** How many requests to remember; zero for none, as benchmarks want. */
  recordLimit?: number;
}>;

export type Simulator = Readonly<{
  /** The address without `/v1`, which is optional in every path. */
  url: string;
  port: number;
  requests: readonly RecordedRequest[];
  openConnections: number;
  /**
   * Gives commands for the next answers, or a function that answers instead; `ScriptOptions` says how many and which.
   */
  script(script: string | Responder, options?: ScriptOptions): void;
  clearScripts(): void;
  clearRequests(): void;
  /**
   * The first request that matches, past or future; waits five minutes unless `timeoutMs` is given: `waitFor((request)
   * => request.isAborted)`.
   */
  waitFor(matches: (request: RecordedRequest) => boolean, timeoutMs?: number): Promise<RecordedRequest>;
  /** Breaks all connections and refuses new ones, like a machine that went down. */
  stopListening(): Promise<void>;
  /** Listens again, on the same port. */
  resumeListening(): Promise<void>;
  close(): Promise<void>;
}>;

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: LISTEN_BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function stop(server: Server, sockets: Set<Socket>): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  });
}

export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const host = options.host ?? '127.0.0.1';
  const recorder = createRecorder(options.recordLimit ?? DEFAULT_RECORD_LIMIT);
  const scripts = createScripts();
  const defaultText = options.commands ?? '';
  // A mistake in the default commands is thrown now instead of with the first request.
  parseCommands(defaultText);
  const handler = createHandler({ recorder, scripts, defaultText });
  const server = createServer(
    { keepAliveTimeout: KEEP_ALIVE_MS, maxHeaderSize: HEADER_BYTES_MAX, noDelay: true },
    handler,
  );
  server.requestTimeout = 0;
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await listen(server, options.port ?? 0, host);
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    requests: recorder.requests,
    get openConnections() {
      return sockets.size;
    },
    script: (script, scriptOptions) => {
      // A wrong command is thrown here, in the test that wrote it, and not inside an answer that a client may ignore.
      if (typeof script === 'string') parseCommands(script);
      scripts.add(script, scriptOptions);
    },
    clearScripts: scripts.clear,
    clearRequests: recorder.clear,
    waitFor: recorder.waitFor,
    stopListening: () => stop(server, sockets),
    resumeListening: () => listen(server, port, host),
    close: () => stop(server, sockets),
  };
}
