// A download that waits for its client leaves nothing behind for each time it waited, and does not wait for ever.

import { EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import { quietClient } from '../../../test/edge/quiet-client.ts';
import type { Exchange } from '../../http/exchange.ts';
import { sendLines } from './send-lines.ts';

test('a long download to a slow client listens for its end once at a time', async () => {
  let written = 0;
  let listeners = 0;
  const response = Object.assign(new EventEmitter(), {
    destroyed: false,
    startFramed() {},
    writeHead() {},
    setTimeout() {},
    write() {
      written += 1;
      setImmediate(() => {
        listeners = Math.max(listeners, response.listenerCount('close'));
        response.emit('drain');
      });
      return false;
    },
    end() {},
  });
  const lines = async function* () {
    for (let index = 0; index < 20; index += 1) yield Buffer.from('{}\n');
  };
  await sendLines({ response, headers: [] } as unknown as Exchange, lines());
  expect([written, listeners, response.listenerCount('close')]).toEqual([20, 1, 0]);
});

test('a download that its client reads nothing of for minutes ends, and a slow database cuts nobody off', async () => {
  const { response, socket, client, close } = await quietClient();
  const timeouts = new Set<number>();
  let isClosed = false;
  const lines = async function* () {
    try {
      for (;;) {
        timeouts.add(socket?.timeout ?? 0);
        yield Buffer.alloc(1024 * 1024);
      }
    } finally {
      isClosed = true;
    }
  };
  const sent = sendLines({ response, headers: [] } as unknown as Exchange, lines());
  await expect.poll(() => socket?.timeout).toBe(300_000);
  // Once more is read, the limit is lifted until the client has to be waited for again.
  client.resume();
  await once(response, 'drain');
  client.pause();
  expect([...timeouts]).toEqual([0]);
  await expect.poll(() => socket?.timeout).toBe(300_000);
  // Node says so when nothing was read for that long.
  socket?.emit('timeout');
  await sent;
  expect([isClosed, socket?.destroyed]).toEqual([true, true]);
  close();
});
