// Streams: what the client sees, in which order, and that the finish is only ever seen by a client that has paid.

import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Harness, type Json, startHarness } from '../harness.ts';

let harness: Harness;
let key: string;

const commands: Readonly<Record<string, string>> = {
  plain: 'tokens-100-20',
  crlf: 'tokens-100-20+crlf+unicode',
  bytes: 'tokens-100-20+chunks-3+byte-by-byte+unicode',
  comments: 'tokens-100-20+comments',
  gzip: 'tokens-100-20+gzip',
  slow: 'tokens-100-50+chunks-50+delay-20',
  endless: 'endless+delay-5',
  'every-chunk': 'tokens-100-20+usage-every-chunk',
  twice: 'tokens-100-20+usage-twice',
  'finish-error': 'finish-error',
  'error-frame': 'error-frame-2',
  'cut-before-usage': 'eof-before-usage',
  'cut-after-usage': 'tokens-100-20+eof-after-usage',
  'reset-after-usage': 'tokens-100-20+reset-after-usage',
  'reset-mid': 'reset-after-3',
  'status-500': 'status-500',
};

beforeAll(async () => {
  const models = Object.fromEntries(
    Object.entries(commands).map(([name, command]) => [`openai/${name}`, { commands: command }]),
  );
  harness = await startHarness({ models });
  key = (await harness.account()).key;
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
});

const choice = (frame: Json | undefined): Json => ((frame?.choices ?? [{}]) as Json[])[0] as Json;
const text = (frames: readonly Json[]): string =>
  frames.map((frame) => String((choice(frame).delta as Json).content ?? '')).join('');

/** 100 prompt tokens at $1 and 20 completion tokens at $2 per million. */
const COST = 0.00014;

describe('a stream', () => {
  test('STRM-01 STRM-02 STRM-04 STRM-11 STRM-12 ends with one chunk that finishes and carries usage and cost', async () => {
    const { status, headers, frames, isDone } = await harness.stream(key, { model: 'openai/plain' });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/event-stream');
    expect(headers.get('x-request-id')).toBeTruthy();
    expect(isDone).toBe(true);
    const last = frames.at(-1);
    expect(choice(last).finish_reason).toBe('stop');
    expect(last?.usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 20, total_tokens: 120, cost: COST });
    for (const frame of frames.slice(0, -1)) {
      expect(choice(frame).finish_reason).toBeNull();
      expect(frame.usage ?? null).toBeNull();
    }
    expect(new Set(frames.map((frame) => frame.id))).toEqual(new Set([headers.get('x-generation-id')]));
    expect(frames.every((frame) => frame.object === 'chat.completion.chunk')).toBe(true);
    expect(frames.every((frame) => frame.model === 'openai/plain')).toBe(true);
    expect((choice(frames[0]).delta as Json).role).toBe('assistant');
  });

  test('STRM-04 GEN-01 the generation is readable the moment the finish is seen', async () => {
    const { frames } = await harness.stream(key, { model: 'openai/plain' });
    const { status, body } = await harness.request('GET', `/v1/generation?id=${frames[0]?.id}`, { key });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ usage: { cost: COST }, first_token_ms: expect.any(Number) });
  });

  test.each(['crlf', 'bytes', 'comments', 'gzip'])('STRM-01 %s from the upstream makes no difference', async (name) => {
    const { frames, isDone } = await harness.stream(key, { model: `openai/${name}` });
    expect(isDone).toBe(true);
    expect(text(frames).length).toBeGreaterThan(0);
    expect(frames.at(-1)?.usage).toMatchObject({ cost: COST });
  });

  test.each(['every-chunk', 'twice', 'cut-after-usage', 'reset-after-usage'])(
    'BILL-03 %s is charged once, by the last usage',
    async (name) => {
      const account = await harness.account(5);
      const { frames, isDone } = await harness.stream(account.key, { model: `openai/${name}` });
      expect(isDone).toBe(true);
      expect(frames.at(-1)?.usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 20, cost: COST });
      expect(await harness.spent(account.key)).toBe(COST);
    },
  );

  test.each(['error-frame', 'cut-before-usage', 'reset-mid'])(
    'STRM-06 STRM-07 BILL-04 %s ends with one error frame and [DONE], unbilled',
    async (name) => {
      const account = await harness.account(5);
      const { status, frames, isDone, text: raw } = await harness.stream(account.key, { model: `openai/${name}` });
      expect(status).toBe(200);
      expect(isDone).toBe(true);
      const last = frames.at(-1) as Json;
      expect(last.choices).toBeUndefined();
      expect(last).toMatchObject({ error: { message: expect.any(String), type: expect.any(String) } });
      expect((last.error as Json).code).toBeDefined();
      expect(frames.filter((frame) => frame.error !== undefined)).toHaveLength(1);
      expect(raw).not.toContain('upstream-secret-key');
      expect(await harness.spent(account.key)).toBe(0);
    },
  );

  test('STRM-08 a chunk that finishes with error is relayed and followed by the error frame', async () => {
    const { frames, isDone } = await harness.stream(key, { model: 'openai/finish-error' });
    expect(isDone).toBe(true);
    expect(choice(frames.at(-2)).finish_reason).toBe('error');
    expect(frames.at(-1)).toMatchObject({ error: { message: expect.any(String) } });
  });

  test('STRM-09 a failure before the first byte is an ordinary answer', async () => {
    const { status, headers, body } = await harness.stream(key, { model: 'openai/status-500' });
    expect(status).toBe(502);
    expect(headers.get('content-type')).toContain('application/json');
    expect(body).toMatchObject({ error: { code: 'upstream_unavailable' } });
  });
});

/** Reads a stream until `enough` says so, then drops the connection. */
function readAndLeave(model: string, enough: (received: string) => boolean, userKey = key): Promise<string> {
  return new Promise((resolve, reject) => {
    const url = new URL('/v1/chat/completions', harness.url);
    const request = httpRequest(url, {
      method: 'POST',
      headers: { Authorization: `Bearer ${userKey}`, 'Content-Type': 'application/json' },
    });
    request.on('response', (response) => {
      let received = '';
      response.on('data', (chunk: Buffer) => {
        received += chunk.toString();
        if (!enough(received)) return;
        request.destroy();
        resolve(received);
      });
      response.on('end', () => resolve(received));
    });
    request.on('error', (error) => (request.destroyed ? undefined : reject(error)));
    request.end(JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'hi' }] }));
  });
}

const until = (condition: () => boolean | Promise<boolean>) => expect.poll(condition).toBe(true);

describe('a client that leaves', () => {
  test('STRM-05 STRM-06 cancels the upstream and pays nothing; the cost is recorded as absorbed', async () => {
    const account = await harness.account(5);
    await readAndLeave('openai/endless', (received) => received.split('data: ').length > 5, account.key);
    await until(() => harness.simulator.requests.at(-1)?.isAborted === true);
    await until(async () => (await harness.ledgerCheck()).heldReservations === 0);
    expect(await harness.spent(account.key)).toBe(0);
    await until(async () => {
      const { users } = (await harness.operate('GET', '/admin/v1/absorbed')) as { users: Json[] };
      return users.some((user) => user.userId === account.userId && Number(user.absorbedUsd) > 0);
    });
  });

  test('STRM-06 at any chunk: it has paid exactly if it has seen the finish', async () => {
    for (let chunk = 1; chunk <= 50; chunk += 7) {
      const account = await harness.account(5);
      const seen = await readAndLeave('openai/slow', (received) => received.split('\n\n').length > chunk, account.key);
      await until(async () => (await harness.ledgerCheck()).heldReservations === 0);
      expect(await harness.spent(account.key)).toBe(seen.includes('"finish_reason":"stop"') ? 0.0002 : 0);
    }
  });
});
