// A client that does not read a large answer.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { FramedResponse } from './framed-response.ts';

const LARGE_BYTES = 32 * 1024 * 1024;

test.each([
  ['a large answer', LARGE_BYTES, 60_000],
  ['a small answer', 1_000, 0],
])('%s may be left unread for so long', async (_, bytes, timeoutMs) => {
  const server = createServer({ ServerResponse: FramedResponse });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [unknown, FramedResponse];
  const { socket } = response;
  response.end(Buffer.alloc(bytes));
  expect(socket?.timeout ?? 0).toBe(timeoutMs);
  // Node says so when nothing was read for that long.
  if (timeoutMs > 0) {
    socket?.emit('timeout');
    await once(response, 'close');
    expect(socket?.destroyed).toBe(true);
  }
  client.destroy();
  server.close();
});
