// A port that was free may be another test's by the time a gateway has started. Whoever answers there is not taken for
// the gateway: its calls would get somebody else's answers, such as a 401 for every key.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { GatewayProcess } from './gateway-process.ts';

test('what answers on the port of a gateway that could not start is not taken for it', async () => {
  const gateway = await GatewayProcess.prepare();
  const other = createServer((_request, response) => response.end('{}'));
  other.listen(Number(new URL(gateway.url).port), '127.0.0.1');
  await once(other, 'listening');
  try {
    await expect(gateway.start()).rejects.toThrow('EADDRINUSE');
  } finally {
    other.closeAllConnections();
    other.close();
    await gateway.close();
  }
});
