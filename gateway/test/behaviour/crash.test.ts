// A gateway killed at the worst moments, as a process of its own: what a client saw as charged is charged after the
// restart, what it did not see is not, and the books balance.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { GatewayProcess } from './gateway-process.ts';

let gateway: GatewayProcess;

beforeEach(async () => {
  gateway = await GatewayProcess.prepare({
    'openai/plain': { commands: 'tokens-100-20' },
    'openai/slow': { commands: 'tokens-100-20+chunks-20+delay-50' },
  });
  await gateway.start();
});

afterEach(() => gateway.close());

/** Opens a stream and kills the gateway as soon as what was received satisfies `when`. */
async function streamAndKill(key: string, model: string, when: (received: string) => boolean): Promise<string> {
  const response = await gateway.stream(key, model);
  let received = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) {
      received += decoder.decode(chunk, { stream: true });
      if (when(received)) {
        await gateway.signal('SIGKILL');
        break;
      }
    }
  } catch {
    // The connection died with the gateway.
  }
  return received;
}

const checkLedger = () => gateway.operate('GET', '/admin/v1/ledger/check');

test('STRM-04 BILL-03 killed one instant after the finish: the charge and the generation are there', async () => {
  const key = await gateway.account();
  const received = await streamAndKill(key, 'openai/plain', (text) => text.includes('"finish_reason":"stop"'));
  expect(received).toContain('"cost":0.00014');
  const id = /"id":"([^"]+)"/.exec(received)?.[1];
  await gateway.start();
  const credits = await gateway.call('GET', '/v1/credits', key);
  expect(credits.data).toEqual({ total_credits: 1, total_usage: 0.00014 });
  const generation = await gateway.call('GET', `/v1/generation?id=${id}`, key);
  expect(generation).toMatchObject({ data: { usage: { cost: 0.00014 } } });
  expect(await checkLedger()).toMatchObject({ ok: true, heldReservations: 0 });
});

test('STRM-06 killed mid-stream: nothing is charged and the whole balance can be spent at once', async () => {
  const key = await gateway.account();
  await streamAndKill(key, 'openai/slow', (text) => text.split('\n\n').length > 4);
  await gateway.start();
  expect((await gateway.call('GET', '/v1/credits', key)).data).toEqual({ total_credits: 1, total_usage: 0 });
  // Needs nearly all of the dollar: a slice still leased to the dead process would make it a 402.
  const answer = await gateway.call('POST', '/v1/chat/completions', key, {
    model: 'openai/plain',
    max_tokens: 490_000,
    messages: [{ role: 'user', content: 'hi' }],
  });
  expect(answer).toMatchObject({ usage: { cost: 0.00014 } });
  expect(await checkLedger()).toMatchObject({ ok: true, heldReservations: 0 });
});

test('SIGTERM lets an open stream finish with its usage, then exits with 0', async () => {
  const key = await gateway.account();
  const response = await gateway.stream(key, 'openai/slow');
  gateway.terminate();
  const text = await response.text();
  expect(text).toContain('"cost":0.00014');
  expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
  await gateway.ended();
  expect(gateway.exitCode).toBe(0);
});
