// A download that waits for its client leaves nothing behind for each time it waited.

import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { Exchange } from '../../http/exchange.ts';
import { sendLines } from './send-lines.ts';

test('a long download to a slow client listens for its end once at a time', async () => {
  let written = 0;
  let listeners = 0;
  const response = Object.assign(new EventEmitter(), {
    destroyed: false,
    startFramed() {},
    writeHead() {},
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
