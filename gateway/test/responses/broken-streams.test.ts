// What clients see when a stream breaks, over every kind of upstream, and that nobody pays for it. Every refusal and
// every failure comes in both forms that clients look for.

import { createParser } from 'eventsource-parser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { commanded, everyWay, NATIVE, type Setup, startThreeUpstreams } from './three-upstreams.ts';

let setup: Setup;
const breaking = ['reset-after-3', 'eof-before-usage', 'bad-frame-3', 'error-frame-3'];
const harmless = ['split-utf8', 'crlf', 'byte-by-byte', 'comments', 'no-space', 'bom', 'field-noise'];

beforeAll(async () => {
  setup = await startThreeUpstreams([
    ...breaking,
    ...harmless,
    'status-500',
    'tokens-1000-50_cached-200',
    'usage-none',
  ]);
});

afterAll(async () => {
  expect(await setup.harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await setup.harness.close();
});

async function stream(model: string, body: Json = {}): Promise<Json[]> {
  const { harness, key } = setup;
  const request = { model, input: 'Say hello to Ada.', stream: true, ...body };
  const { text, status } = await harness.request('POST', '/v1/responses', { key, body: request });
  expect(status).toBe(200);
  const events: Json[] = [];
  createParser({ onEvent: ({ data }) => events.push(JSON.parse(data) as Json) }).feed(text);
  return events;
}

describe.each(everyWay)('%s', (way) => {
  test.each(breaking)('STRM-06 %s ends in an error and a failed response, and costs nothing', async (commands) => {
    const before = await setup.harness.spent(setup.key);
    const events = await stream(commanded(way, commands));
    expect(events.slice(-2)).toMatchObject([
      { type: 'error', code: expect.any(String), message: expect.any(String), error: { code: expect.any(String) } },
      { type: 'response.failed', response: { status: 'failed', error: { code: expect.any(String) } } },
    ]);
    const numbers = events.map((event) => Number(event.sequence_number));
    expect(numbers).toEqual([...numbers].sort((left, right) => left - right));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(JSON.stringify(events)).not.toContain('Simulated');
    expect(events.some(({ type }) => type === 'response.output_item.done')).toBe(false);
    expect(await setup.harness.spent(setup.key)).toBe(before);
  });

  test.each(harmless)('%s is no fault', async (commands) => {
    const events = await stream(commanded(way, commands));
    const last = events.at(-1);
    expect(last).toMatchObject({ type: 'response.completed' });
    const text = events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('');
    expect(last?.response).toMatchObject({ output: [{ type: 'message', content: [{ text }] }] });
    expect(text.length).toBeGreaterThan(20);
  });

  test('BILL-03 BILL-09 the counts and the cost are those that were charged', async () => {
    const before = await setup.harness.spent(setup.key);
    const events = await stream(commanded(way, 'tokens-1000-50_cached-200'));
    const last = events.at(-1) as { response: { usage: { cost: number } } } | undefined;
    const usage = last?.response.usage ?? { cost: Number.NaN };
    expect(usage).toMatchObject({
      input_tokens: 1000,
      input_tokens_details: { cached_tokens: 200 },
      output_tokens: 50,
      total_tokens: 1050,
    });
    expect(usage.cost).toBeCloseTo((800 * 1 + 200 * 0.5 + 50 * 2) / 1e6, 12);
    expect((await setup.harness.spent(setup.key)) - before).toBeCloseTo(usage.cost, 12);
  });

  test('BILL-04 an upstream that fails at once is an ordinary error', async () => {
    const { harness, key } = setup;
    const body = { model: commanded(way, 'status-500'), input: 'x', stream: true };
    const answer = await harness.request('POST', '/v1/responses', { key, body });
    expect(answer.status).toBe(502);
    expect(answer.body).toMatchObject({ error: { code: 'upstream_unavailable' } });
  });
});

test('BILL-05 a native answer without usage is free, and says so', async () => {
  const before = await setup.harness.spent(setup.key);
  const { harness, key } = setup;
  const body = { model: commanded(NATIVE, 'usage-none'), input: 'x' };
  const answer = await harness.request('POST', '/v1/responses', { key, body });
  expect(answer.body).toMatchObject({ status: 'completed', usage: { cost: 0 } });
  expect(await setup.harness.spent(setup.key)).toBe(before);
});
