// An empty stream is a failure like any other, and a stream that stops in the middle of a sentence is not an answer.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configDocument, type Harness, type Json, startHarness } from '../harness.ts';

const DONE = 'data: [DONE]\n\n';
const SAID =
  'data: {"id":"x","choices":[{"index":0,"delta":{"role":"assistant","content":"Half of"},"finish_reason":null}]}\n\n';
const ROLE =
  'data: {"id":"x","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n';
const START =
  'event: message_start\ndata: {"type":"message_start","message":{"content":[],"usage":{"input_tokens":3,"output_tokens":1}}}\n\n';
const STOP = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';

let harness: Harness;
let key: string;

/** Routes that fail are out of use for a while, so each case has a route of its own. */
const CASES = Array.from({ length: 30 }, (_, index) => index);
let next = 0;

beforeAll(async () => {
  harness = await startHarness();
  const models: Record<string, { routes: object[] }> = {};
  for (const index of CASES) {
    const upstream_model = `empty-${index}`;
    const silent = { provider: 'sim', upstream_model };
    models[`chat/empty-${index}`] = { routes: [silent] };
    models[`covered/empty-${index}`] = { routes: [silent, { provider: 'second', upstream_model: 'sim-tokens-10-5' }] };
    models[`messages/empty-${index}`] = { routes: [{ provider: 'native', upstream_model }] };
  }
  const document = configDocument(harness.simulator.url, { models });
  const providers = document.providers as Json;
  providers.native = { ...(providers.sim as Json), protocol: 'anthropic' };
  providers.second = providers.sim;
  await harness.operate('PUT', '/admin/v1/config', document);
  ({ key } = await harness.account(1));
});
afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
});

/** Of the next case's upstream, whose name is returned. */
function answerWith(text: string): string {
  harness.simulator.clearScripts();
  const model = `empty-${next}`;
  next += 1;
  harness.simulator.script(
    (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(text);
      return undefined;
    },
    { model },
  );
  return model;
}

const paths = {
  chat: ['/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi' }] }],
  messages: ['/v1/messages', { max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] }],
  responses: ['/v1/responses', { input: 'Hi' }],
} as const;
const DIALECTS = ['chat', 'messages', 'responses'] as const;

const ask = (dialect: (typeof DIALECTS)[number], model: string) => {
  const [path, body] = paths[dialect];
  return harness.request('POST', path, { key, body: { ...body, model, stream: true } });
};

describe.each(DIALECTS)('%s clients', (dialect) => {
  test.each([
    ['chat', DONE],
    ['chat', ROLE + DONE],
    ['chat', ''],
    ['messages', START + STOP],
    ['messages', START],
  ])('ERR-10 a stream of %s that ends without content, finish or usage is a 502', async (protocol, text) => {
    const model = answerWith(text);
    expect((await ask(dialect, `${protocol}/${model}`)).status).toBe(502);
  });

  test('ERR-10 the next provider answers instead', async () => {
    const model = answerWith(ROLE + DONE);
    const answer = await ask(dialect, `covered/${model}`);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.text).not.toContain('"error":{');
    expect(answer.text).toMatch(/"(?:tollgate_)?cost":0\.00002/);
  });

  test('ERR-10 a text without a finish is interrupted, and costs nothing', async () => {
    const model = answerWith(SAID + DONE);
    const before = await harness.spent(key);
    const { text } = await ask(dialect, `chat/${model}`);
    expect(text).toContain('Half of');
    expect(text).toContain('upstream_unavailable');
    expect(text).not.toMatch(/"stop"|end_turn|response.completed/);
    expect(await harness.spent(key)).toBe(before);
  });
});
