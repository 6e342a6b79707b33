// A response of the gateway's server whose client reads nothing until its test lets it: what a reader that stays away
// does to an answer.

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { FramedResponse } from '../../src/http/framed-response.ts';

type QuietClient = Readonly<{
  request: IncomingMessage;
  response: FramedResponse;
  /** Of the response; absent once that has ended. */
  socket: Socket | null;
  client: Socket;
  close(): void;
}>;

export async function quietClient(): Promise<QuietClient> {
  const server = createServer({ ServerResponse: FramedResponse });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, FramedResponse];
  const close = (): void => {
    client.destroy();
    server.close();
  };
  return { request, response, socket: response.socket, client, close };
}
