// Traces as a collector gets them: the spans of one call, that the trace continues at the upstream, that nothing
// private is in it, and that a collector that is away costs only spans.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Harness, startHarness } from '../harness.ts';
import { type CollectedSpan, Collector } from './collector.ts';

const SERVER = 2;
const CLIENT = 3;
const ERROR = 2;
const PROMPT = 'the-canary-in-the-prompt';

let collector: Collector;
let harness: Harness;
let key: string;

beforeAll(async () => {
  collector = await Collector.start();
  harness = await startHarness({
    models: {
      'openai/plain': { commands: 'tokens-9-4' },
      'openai/stream': { commands: 'tokens-100-20+chunks-3+delay-30' },
      'openai/falling': {
        routes: [
          { provider: 'sim', upstream_model: 'sim-status-500' },
          { provider: 'sim', upstream_model: 'sim-tokens-7-5' },
        ],
      },
    },
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=canary%20tenant',
      OTEL_SERVICE_NAME: 'tollgate-test',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_BSP_SCHEDULE_DELAY: '20',
      OTEL_BSP_MAX_QUEUE_SIZE: '50',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '1',
    },
    start: { random: () => 0 },
  });
  ({ key } = await harness.account());
});

afterAll(async () => {
  await harness.close();
  await collector.leave();
});

let lastTrace = 0;

/** A trace of the caller's own, so that a test finds what belongs to it. */
function newTrace(flags = '01'): { traceId: string; headers: Record<string, string> } {
  lastTrace += 1;
  const traceId = `${lastTrace.toString(16).padStart(8, '0')}${'a'.repeat(24)}`;
  return { traceId, headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-${flags}`, tracestate: 'vendor=1' } };
}

const body = (model: string) => ({ model, messages: [{ role: 'user', content: PROMPT }] });

/** Waits for the span of the whole call, which is the last to end. */
async function collected(traceId: string): Promise<{ root: CollectedSpan; children: CollectedSpan[] }> {
  const find = () => collector.trace(traceId).find(({ kind }) => kind === SERVER);
  await expect.poll(find).toBeDefined();
  const root = find()!;
  return { root, children: collector.trace(traceId).filter((span) => span !== root) };
}

async function figure(name: string): Promise<number> {
  const { text } = await harness.request('GET', '/metrics', { key: ADMIN_TOKEN });
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

test('a whole call is one trace: admission, the attempt and the settlement within the call', async () => {
  const { traceId, headers } = newTrace();
  const answer = await harness.chat(key, body('openai/plain'), headers);
  expect(answer.status).toBe(200);
  const { root, children } = await collected(traceId);
  expect(root).toMatchObject({
    name: 'POST /v1/chat/completions',
    parentSpanId: '00f067aa0ba902b7',
    traceState: 'vendor=1',
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/v1/chat/completions',
      'http.response.status_code': 200,
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'openai/plain',
      'gen_ai.response.model': 'openai/plain',
      'gen_ai.response.id': answer.headers.get('x-generation-id'),
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': (answer.body.usage as Record<string, number>).prompt_tokens,
      'gen_ai.usage.output_tokens': (answer.body.usage as Record<string, number>).completion_tokens,
      'tollgate.request_id': answer.headers.get('x-request-id'),
      'tollgate.outcome': 'settled',
      'tollgate.attempts': 1,
    },
  });
  expect(root.status).toBeUndefined();
  expect(children.map(({ name }) => name)).toEqual(['admission', 'chat sim-tokens-9-4', 'settlement']);
  expect(new Set(children.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([root.spanId]));
  expect(children[1]).toMatchObject({
    kind: CLIENT,
    attributes: {
      'gen_ai.provider.name': 'sim',
      'gen_ai.request.model': 'sim-tokens-9-4',
      'http.response.status_code': 200,
      'server.address': '127.0.0.1',
      'tollgate.time_to_first_byte_ms': expect.any(Number),
    },
  });
  for (const { startTimeUnixNano: start, endTimeUnixNano: end } of children) {
    expect(BigInt(start)).toBeGreaterThanOrEqual(BigInt(root.startTimeUnixNano));
    expect(BigInt(end)).toBeLessThanOrEqual(BigInt(root.endTimeUnixNano));
  }
  expect(collector.resource).toEqual({ 'service.name': 'tollgate-test', 'deployment.environment.name': 'test' });
  expect(collector.headers[0]).toMatchObject({ 'x-tenant': 'canary tenant', 'content-type': 'application/json' });
  expect(new Set(collector.paths)).toEqual(new Set(['/v1/traces']));
});

test('the trace goes on to the upstream, each attempt under its own span', async () => {
  const { traceId, headers } = newTrace();
  const seenBefore = harness.simulator.requests.length;
  expect((await harness.chat(key, body('openai/falling'), headers)).status).toBe(200);
  const { root, children } = await collected(traceId);
  const attempts = children.filter(({ kind }) => kind === CLIENT);
  expect(attempts[0]).toMatchObject({
    status: { code: ERROR },
    attributes: { 'http.response.status_code': 500, 'error.type': 'unavailable' },
  });
  expect(attempts.at(-1)!.status).toBeUndefined();
  expect(root.attributes['tollgate.attempts']).toBe(attempts.length);
  expect(root.status).toBeUndefined();
  const passedOn = harness.simulator.requests.slice(seenBefore).map((request) => request.headers.traceparent);
  expect(passedOn).toEqual(attempts.map(({ spanId }) => `00-${traceId}-${spanId}-01`));
  expect(harness.simulator.requests.at(-1)!.headers.tracestate).toBe('vendor=1');
});

test('the attempt of a stream lasts as long as the stream, and says when it began', async () => {
  const { traceId, headers } = newTrace();
  const answer = await harness.chat(key, { ...body('openai/stream'), stream: true }, headers);
  expect(answer.text).toContain('[DONE]');
  const { children } = await collected(traceId);
  const attempt = children.find(({ kind }) => kind === CLIENT)!;
  const settlement = children.find(({ name }) => name === 'settlement')!;
  const durationMs = Number(BigInt(attempt.endTimeUnixNano) - BigInt(attempt.startTimeUnixNano)) / 1e6;
  expect(durationMs).toBeGreaterThan(Number(attempt.attributes['tollgate.time_to_first_byte_ms']) + 30);
  expect(attempt.attributes['gen_ai.response.time_to_first_chunk']).toBeGreaterThan(0);
  expect(Number(attempt.attributes['gen_ai.response.time_to_first_chunk']) * 1_000).toBeLessThan(durationMs);
  expect(BigInt(settlement.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(attempt.endTimeUnixNano));
});

test('a call that is refused has an admission that failed, and no attempt', async () => {
  const { traceId, headers } = newTrace();
  const { key: poor } = await harness.account(0);
  const answer = await harness.chat(poor, body('openai/test'), headers);
  expect(answer.status).toBe(402);
  const { root, children } = await collected(traceId);
  expect(root).toMatchObject({
    status: { code: ERROR },
    attributes: { 'http.response.status_code': 402, 'error.type': 'insufficient_credits' },
  });
  expect(children).toMatchObject([{ name: 'admission', status: { code: ERROR } }]);
});

test('whoever says that a trace is not sampled is heard, and it still goes on', async () => {
  const { traceId, headers } = newTrace('00');
  await harness.chat(key, body('openai/test'), headers);
  expect(harness.simulator.requests.at(-1)!.headers.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
  const { traceId: later, headers: sampled } = newTrace();
  await harness.chat(key, body('openai/test'), sampled);
  await collected(later);
  expect(collector.trace(traceId)).toEqual([]);
  // Without a caller's trace the call begins one.
  await harness.chat(key, body('openai/test'), { traceparent: 'none of ours' });
  expect(harness.simulator.requests.at(-1)!.headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
});

test('no prompt, key, address or answer is in what was sent', async () => {
  expect(collector.bodies.length).toBeGreaterThan(2);
  const all = collector.bodies.join('\n');
  for (const secret of [PROMPT, key, ADMIN_TOKEN, 'canary tenant', '@example.test', '"Hello']) {
    expect(all, secret).not.toContain(secret);
  }
});

test('a collector that is away, refuses or hangs costs spans, which are counted, and never a call', async () => {
  const dropped = await figure('tollgate_spans_dropped_total');
  expect(await figure('tollgate_spans_exported_total')).toBeGreaterThanOrEqual(15);
  collector.status = 503;
  await harness.chat(key, body('openai/test'), newTrace().headers);
  await expect.poll(() => figure('tollgate_spans_dropped_total')).toBeGreaterThanOrEqual(dropped + 4);
  collector.status = 200;
  const callMany = async (count: number): Promise<void> => {
    const calls = Array.from({ length: count }, () => harness.chat(key, body('openai/test'), newTrace().headers));
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]));
  };
  collector.isHanging = true;
  const heard = collector.bodies.length;
  await callMany(1);
  await expect.poll(() => collector.bodies.length).toBeGreaterThan(heard);
  await callMany(10);
  collector.isHanging = false;
  await collector.leave();
  await callMany(40);
  await expect.poll(() => figure('tollgate_spans_dropped_total')).toBeGreaterThanOrEqual(dropped + 4 + 110);
  expect(await figure('tollgate_spans_queued')).toBeLessThanOrEqual(50);
  await collector.comeBack();
  const { traceId, headers } = newTrace();
  await expect.poll(() => figure('tollgate_spans_queued')).toBe(0);
  await harness.chat(key, body('openai/test'), headers);
  expect((await collected(traceId)).children).toHaveLength(3);
});

test('what a collector takes only in part counts as taken in part', async () => {
  const dropped = await figure('tollgate_spans_dropped_total');
  collector.answer = '{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}}';
  await harness.chat(key, body('openai/test'), newTrace().headers);
  await expect.poll(() => figure('tollgate_spans_dropped_total')).toBeGreaterThan(dropped);
  collector.answer = '{}';
});
