// A gateway with more work than it can do: calls of models are refused at once and unread, everything else goes on, and
// the refusals end with the overload. The load is made in the same process, which also runs the test.

import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, startHarness } from '../harness.ts';

const BUSY_MS = 120;
const TOGETHER = 20;
const TRIES_MAX = 100;
let harness: Harness;
let key: string;
let metricsPort: number;

beforeAll(async () => {
  metricsPort = await freePort();
  harness = await startHarness({
    env: { TOLLGATE_OVERLOAD_MS: '40', TOLLGATE_METRICS_LISTEN: `127.0.0.1:${metricsPort}` },
  });
  ({ key } = await harness.account(20));
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await harness.close();
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Keeps the process busy until it is told to stop, with room for what waits in between. */
function pileUp(): () => void {
  let isOver = false;
  const work = (): void => {
    if (isOver) return;
    // Processor time of this process: what other programs take does not count.
    const before = process.cpuUsage();
    while (process.cpuUsage(before).user < BUSY_MS * 1_000);
    setTimeout(work, 0);
  };
  work();
  return () => {
    isOver = true;
  };
}

const scrape = async (): Promise<string> => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
const call = () => harness.chat(key, { model: 'openai/test' });

test('ERR-11 calls of models are refused with a time to come back, and everything else is answered', async () => {
  expect((await call()).status).toBe(200);
  const stop = pileUp();
  try {
    // Of calls that arrive together only some are taken, and those are charged.
    const together = () => Promise.all(Array.from({ length: TOGETHER }, call));
    let answers = await together();
    // On a busy machine the database may not answer, which is refused with another message.
    const refusal = () => answers.find(({ status, text }) => status === 503 && text.includes('more to do than it can'));
    const isTaken = () => answers.some(({ status }) => status === 200);
    for (let tries = 0; !(refusal() && isTaken()) && tries < TRIES_MAX; tries += 1) answers = await together();
    expect(isTaken()).toBe(true);
    const refused = refusal();
    expect(refused?.headers.get('retry-after')).toBe('1');
    expect(refused?.body.error).toMatchObject({ type: 'overloaded_error', code: 503 });
    for (const path of ['/healthz', '/readyz', '/v1/models']) {
      expect((await fetch(`${harness.url}${path}`)).status).toBe(200);
    }
    expect((await harness.request('GET', '/v1/key', { key })).status).toBe(200);
  } finally {
    stop();
  }
  await expect.poll(scrape).toMatch(/^tollgate_overload_refused_share 0$/m);
  expect(await scrape()).toMatch(/^tollgate_overload_refusals_total [1-9]/m);
  expect((await call()).status).toBe(200);
});

test('metrics have a listener of their own that serves nothing else, and the other then asks for the token', async () => {
  expect(await scrape()).toContain('tollgate_http_requests_total');
  for (const path of ['/v1/models', '/healthz', '/console']) {
    expect((await fetch(`http://127.0.0.1:${metricsPort}${path}`)).status).toBe(404);
  }
  expect((await fetch(`${harness.url}/metrics`)).status).toBe(401);
});
