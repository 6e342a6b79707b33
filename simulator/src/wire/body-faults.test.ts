// Faults of a whole body and of its usage, for both protocols where they differ.

import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../server.ts';
import { bodyOf, type RawExchange, sendRaw } from '../testing/raw-client.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

type Options = Readonly<{ path?: string; stream?: boolean; byteLimit?: number; leavesAfter?: RegExp }>;

function ask(model: string, options: Options = {}): Promise<RawExchange> {
  const { stream = false, ...rest } = options;
  const body = { model, max_tokens: 1000, messages: [{ role: 'user', content: 'Hello' }], stream };
  return sendRaw({ port: simulator.port, body, ...rest });
}

const declaredLength = (exchange: RawExchange): number => Number(/content-length: (\d+)/i.exec(exchange.text)?.[1]);

describe('bodies', () => {
  test('F17 bad-json is complete and wrong', async () => {
    const answer = await ask('sim-bad-json');
    expect(answer.text).toMatch(/^HTTP\/1\.1 200 .*content-type: application\/json/s);
    expect(declaredLength(answer)).toBe(bodyOf(answer).length);
    expect(() => JSON.parse(bodyOf(answer).toString())).toThrow();
  });

  test('F17 cut-json is complete on the wire and half in meaning', async () => {
    const answer = await ask('sim-cut-json');
    expect(declaredLength(answer)).toBe(bodyOf(answer).length);
    expect(bodyOf(answer).toString()).toMatch(/^\{"id":"chatcmpl-/);
    expect(() => JSON.parse(bodyOf(answer).toString())).toThrow();
  });

  test('F21 short-body declares more than it sends', async () => {
    const answer = await ask('sim-short-body');
    expect(bodyOf(answer).length).toBeLessThan(declaredLength(answer));
    expect(bodyOf(answer).length).toBeGreaterThan(100);
    expect(answer.ending).toBe('end');
  });

  test('F18 html with 200 and with another status', async () => {
    const plain = await ask('sim-html', { stream: true });
    expect(plain.text).toMatch(/^HTTP\/1\.1 200 .*content-type: text\/html.*<!doctype html>/s);
    expect((await ask('sim-html+status-502')).text).toMatch(/^HTTP\/1\.1 502 .*content-type: text\/html/s);
  });

  test('F19 empty has no byte', async () => {
    const whole = await ask('sim-empty');
    expect(declaredLength(whole)).toBe(0);
    expect((await ask('sim-empty', { stream: true })).text).toMatch(
      /text\/event-stream.*content-length: 0\r\n.*\r\n\r\n$/s,
    );
  });

  test('F20 error-200 is an error that calls itself a success', async () => {
    const answer = await ask('sim-error-200', { stream: true });
    expect(answer.text).toMatch(/^HTTP\/1\.1 200 /);
    expect(JSON.parse(bodyOf(answer).toString())).toMatchObject({ error: { type: 'server_error' } });
  });

  test('a break in the middle of a whole answer', async () => {
    const reset = await ask('sim-reset-after-1');
    expect(reset.ending).toBe('reset');
    expect(bodyOf(reset).length).toBeLessThan(declaredLength(reset));
    expect((await ask('sim-stall-after-1', { leavesAfter: /\r\n\r\n./s })).ending).toBe('open');
  });

  test('F32 endless never completes', async () => {
    const answer = await ask('sim-endless', { byteLimit: 200_000 });
    expect(answer.ending).toBe('open');
  });

  test('F31 drip comes in small pieces, slowly', async () => {
    const answer = await ask('sim-size-40+drip-2');
    expect(answer.durationMs).toBeGreaterThan(60);
    expect(JSON.parse(bodyOf(answer).toString())).toMatchObject({ object: 'chat.completion' });
  });
});

describe('F34 codings', () => {
  const content = (body: Buffer): string => JSON.parse(body.toString()).choices[0].message.content;

  test.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
    ['deflate', inflateSync],
  ])('%s', async (coding, decode) => {
    const answer = await ask(`sim-${coding}`);
    expect(answer.text).toContain(`content-encoding: ${coding}\r\n`);
    expect(content(decode(bodyOf(answer)))).toContain('Hello');
    const stream = await ask(`sim-${coding}`, { stream: true });
    expect(decode(bodyOf(stream)).toString()).toMatch(/^data: \{.*data: \[DONE\]\n\n$/s);
  });

  test('twice, falsely, and as a bomb', async () => {
    const twice = await ask('sim-gzip-twice');
    expect(twice.text).toContain('content-encoding: gzip, gzip\r\n');
    expect(content(gunzipSync(gunzipSync(bodyOf(twice))))).toContain('Hello');
    const fake = await ask('sim-gzip-fake');
    expect(fake.text).toContain('content-encoding: gzip\r\n');
    expect(content(bodyOf(fake))).toContain('Hello');
    const bomb = await ask('sim-gzip-bomb-20');
    expect(bodyOf(bomb).length).toBeLessThan(200_000);
    expect(gunzipSync(bodyOf(bomb)).length).toBeGreaterThan(20 * 1024 * 1024);
  });
});

describe('usage', () => {
  const usageOf = async (model: string, path?: string): Promise<Record<string, unknown> | null | undefined> => {
    const answer = await ask(model, path === undefined ? {} : { path });
    return JSON.parse(bodyOf(answer).toString()).usage;
  };

  test('F22 none and null', async () => {
    expect(await usageOf('sim-usage-none')).toBeUndefined();
    expect(await usageOf('sim-usage-null')).toBeNull();
    expect(await usageOf('sim-usage-none', '/v1/messages')).toBeUndefined();
  });

  test('F23 F24 zeros', async () => {
    expect(await usageOf('sim-usage-zero')).toMatchObject({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 });
    expect(await usageOf('sim-tokens-9-5+usage-zero-output')).toMatchObject({
      prompt_tokens: 9,
      completion_tokens: 0,
      total_tokens: 9,
    });
    expect(await usageOf('sim-tokens-9-5+usage-zero-input')).toMatchObject({
      prompt_tokens: 0,
      completion_tokens: 5,
      total_tokens: 5,
    });
    expect(await usageOf('sim-usage-zero', '/v1/messages')).toMatchObject({ input_tokens: 0, output_tokens: 0 });
  });

  test('F25 F26 figures that are none', async () => {
    expect(await usageOf('sim-tokens-9-5+usage-negative')).toMatchObject({ prompt_tokens: -10, completion_tokens: -6 });
    expect(await usageOf('sim-tokens-9-5+usage-fraction')).toMatchObject({
      prompt_tokens: 9.5,
      completion_tokens: 5.5,
    });
    expect(await usageOf('sim-tokens-9-5+usage-string')).toMatchObject({ prompt_tokens: '9', completion_tokens: '5' });
    expect(await usageOf('sim-usage-absurd')).toMatchObject({ completion_tokens: 4e12 });
    expect(await usageOf('sim-tokens-9-5+usage-negative', '/v1/messages')).toMatchObject({
      input_tokens: -10,
      output_tokens: -6,
    });
  });
});
