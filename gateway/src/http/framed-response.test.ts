// A client that does not read a large answer, and one that goes by how long it may keep a connection.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { quietClient } from '../../test/edge/quiet-client.ts';
import { FramedResponse, KEEP_ALIVE_TIMEOUT_MS, KEEP_ALIVE_TOLD_MS } from './framed-response.ts';

const LARGE_BYTES = 32 * 1024 * 1024;

test.each([
  ['a large answer', LARGE_BYTES, 60_000],
  ['a small answer', 1_000, 0],
])('%s may be left unread for so long', async (_, bytes, timeoutMs) => {
  const { response, socket, close } = await quietClient();
  response.end(Buffer.alloc(bytes));
  expect(socket?.timeout ?? 0).toBe(timeoutMs);
  // Node says so when nothing was read for that long.
  if (timeoutMs > 0) {
    socket?.emit('timeout');
    await once(response, 'close');
    expect(socket?.destroyed).toBe(true);
  }
  close();
});

test('an idle connection is kept longer than its client is told', async () => {
  const server = createServer({ ServerResponse: FramedResponse, keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [unknown, FramedResponse];
  const { socket } = response;
  response.end('done');
  const [text] = (await once(client, 'data')) as [Buffer];
  expect(text.toString()).toContain(`Keep-Alive: timeout=${KEEP_ALIVE_TOLD_MS / 1_000}\r\n`);
  await expect.poll(() => socket?.timeout).toBeGreaterThanOrEqual(KEEP_ALIVE_TIMEOUT_MS);
  expect(KEEP_ALIVE_TIMEOUT_MS).toBeGreaterThan(KEEP_ALIVE_TOLD_MS);
  client.destroy();
  server.close();
});
