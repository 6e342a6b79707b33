// What becomes of the upstream's answer when nobody is there to read it.

import { once } from 'node:events';
import { expect, test } from 'vitest';
import { quietClient } from '../../../test/edge/quiet-client.ts';
import type { VideoJob } from '../../canonical/video-job.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Receiver } from '../../upstreams/transport/receiver.ts';
import { relayContent } from './relay-content.ts';
import type { VideoAccessServices } from './upstream-access.ts';

const JOB = { id: 'v', upstreamJobId: 'j', byokKeyId: null, providerName: 'p', endedAtMs: 0 };

/** Begins the relay to this response; of the upstream the test is the other end. */
function relay(response: unknown) {
  const provider = { name: 'p', protocol: 'openai', baseUrl: 'https://p.test/v1', apiKey: 'k' };
  const upstream = {
    receiver: null as Receiver | null,
    isPaused: false,
    isCancelled: false,
    onResumed() {},
    pause() {
      upstream.isPaused = true;
    },
    resume() {
      upstream.isPaused = false;
      upstream.onResumed();
    },
    cancel() {
      upstream.isCancelled = true;
    },
  };
  const send = (_: unknown, receiver: Receiver) => {
    upstream.receiver = receiver;
    return upstream;
  };
  const services = {
    catalog: { current: () => ({ providers: new Map([['p', provider]]) }) },
    transport: { send },
  } as unknown as VideoAccessServices;
  const exchange = { route: { method: 'GET' }, request: { headers: {} }, headers: [], response };
  const input = { exchange: exchange as unknown as Exchange, job: JOB as unknown as VideoJob, index: 0 };
  return { upstream, ended: relayContent(input, services) };
}

test('VID-23 a client that left while its job was looked up holds no connection to the upstream', async () => {
  const response = { destroyed: true, once: () => response };
  const { upstream, ended } = relay(response);
  await ended;
  expect(upstream.isCancelled).toBe(true);
});

test('VID-23 a client that reads nothing for minutes is cut off and frees the upstream, a slow one is not', async () => {
  const { response, socket, client, close } = await quietClient();
  const { upstream, ended } = relay(response);
  await expect.poll(() => upstream.receiver).not.toBe(null);
  const timeouts = new Set<number>();
  const sendOn = (): void => {
    while (!upstream.isPaused && !upstream.isCancelled) {
      timeouts.add(socket?.timeout ?? 0);
      upstream.receiver?.onData(Buffer.alloc(1024 * 1024));
    }
  };
  upstream.onResumed = sendOn;
  upstream.receiver?.onStart(200, { 'content-type': 'video/mp4' });
  sendOn();
  await expect.poll(() => socket?.timeout).toBe(300_000);
  // Once more is read, the limit is lifted until the client has to be waited for again.
  client.resume();
  await once(response, 'drain');
  client.pause();
  await expect.poll(() => socket?.timeout).toBe(300_000);
  expect([[...timeouts], upstream.isCancelled]).toEqual([[0], false]);
  // Node says so when nothing was read for that long.
  socket?.emit('timeout');
  await ended;
  expect([upstream.isCancelled, socket?.destroyed]).toEqual([true, true]);
  close();
});
