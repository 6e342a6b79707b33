// A customer's server that is called when a job has ended: https on this machine, under a name of its own.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Json } from '../harness.ts';
import { type SelfSigned, selfSigned } from './self-signed.ts';

export const RECEIVER_HOST = 'hooks.example';
const ADDRESS = '127.0.0.2';

type Heard = Readonly<{ method: string; path: string; headers: IncomingMessage['headers']; body: Json }>;

export type Receiver = Readonly<{
  url: string;
  /** For whoever cannot look up its name. */
  plainUrl: string;
  certificate: SelfSigned;
  heard: Heard[];
  /** What it says from now on; 200 until told. */
  answerWith(answer: (response: ServerResponse, times: number) => void): void;
  close(): Promise<void>;
}>;

export async function startReceiver(): Promise<Receiver> {
  const certificate = selfSigned(RECEIVER_HOST, ADDRESS);
  const heard: Heard[] = [];
  let answer: (response: ServerResponse, times: number) => void = (response) => response.end('thanks');
  const server: Server = createServer(certificate, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      heard.push({ method, path, headers, body: JSON.parse(Buffer.concat(chunks).toString()) as Json });
      answer(response, heard.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://${RECEIVER_HOST}:${port}/done?token=secret`,
    plainUrl: `https://${ADDRESS}:${port}/done`,
    certificate,
    heard,
    answerWith: (next) => {
      answer = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
