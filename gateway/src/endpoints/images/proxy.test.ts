// A picture whose reader does not read it. The connections to a bucket are few, and everybody's pictures come through
// them.

import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { quietClient } from '../../../test/edge/quiet-client.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Media } from '../../modules/media/media.ts';
import { systemClock } from '../../platform/clock.ts';
import { readImage } from './proxy.ts';

test('a picture that its client reads nothing of for a minute ends, and so does the reading of it', async () => {
  const { request, response, socket, close } = await quietClient();
  const body = Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc(64 * 1024);
    })(),
  );
  const image = { type: 'image/png', digest: 'd', expiresAtMs: 0, byteLength: 1024 ** 4, body };
  const media = { find: async () => image } as unknown as Media;
  const exchange = { request, response, params: {}, headers: [] } as unknown as Exchange;
  const sent = readImage({ media, clock: systemClock })(exchange);
  await expect.poll(() => response.writableNeedDrain).toBe(true);
  expect(socket?.timeout).toBe(60_000);
  // Node says so when nothing was read for that long.
  socket?.emit('timeout');
  await sent;
  expect([body.destroyed, socket?.destroyed]).toEqual([true, true]);
  close();
});
