// A receiver of records: https on this machine under a name of its own. It keeps the bytes that came and answers as the
// test says.

import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Json } from '../harness.ts';
import { selfSigned } from '../videos/self-signed.ts';

export const FEED_HOST = 'feeds.example';
export const FEED_ADDRESS = '127.0.0.2';

type Arrived = Readonly<{ path: string; headers: IncomingHttpHeaders; text: string }>;

export type FeedReceiver = Readonly<{
  url: string;
  arrived: Arrived[];
  /** All lines of JSON that were answered with 200. */
  lines(): Json[];
  answerWith(answer: (response: ServerResponse, arrived: Arrived) => void): void;
  close(): Promise<void>;
}>;

export async function startFeedReceiver(): Promise<FeedReceiver> {
  const arrived: Arrived[] = [];
  const taken: Arrived[] = [];
  let answer = (response: ServerResponse, _arrived: Arrived): void => void response.end('{}');
  const server = createServer(selfSigned(FEED_HOST, FEED_ADDRESS), (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = { path: request.url ?? '', headers: request.headers, text: Buffer.concat(chunks).toString() };
      arrived.push(one);
      response.on('finish', () => {
        if (response.statusCode === 200) taken.push(one);
      });
      answer(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, FEED_ADDRESS, resolve));
  return {
    url: `https://${FEED_HOST}:${(server.address() as AddressInfo).port}`,
    arrived,
    lines: () =>
      taken.flatMap(({ text }) =>
        text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Json),
      ),
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
