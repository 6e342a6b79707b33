// What becomes of the upstream's answer when nobody is there to read it.

import { expect, test } from 'vitest';
import type { VideoJob } from '../../canonical/video-job.ts';
import type { Exchange } from '../../http/exchange.ts';
import { relayContent } from './relay-content.ts';
import type { VideoAccessServices } from './upstream-access.ts';

test('VID-23 a client that left while its job was looked up holds no connection to the upstream', async () => {
  const provider = { name: 'p', protocol: 'openai', baseUrl: 'https://p.test/v1', apiKey: 'k' };
  let isCancelled = false;
  const flight = {
    pause() {},
    resume() {},
    cancel() {
      isCancelled = true;
    },
  };
  const services = {
    catalog: { current: () => ({ providers: new Map([['p', provider]]) }) },
    transport: { send: () => flight },
  } as unknown as VideoAccessServices;
  const response = { destroyed: true, once: () => response };
  const exchange = { route: { method: 'GET' }, request: { headers: {} }, headers: [], response };
  const job = { id: 'v', upstreamJobId: 'j', byokKeyId: null, providerName: 'p', endedAtMs: 0 };
  const input = { exchange: exchange as unknown as Exchange, job: job as unknown as VideoJob, index: 0 };
  await relayContent(input, services);
  expect(isCancelled).toBe(true);
});
