// Faults of the connection and of HTTP itself, seen on a bare socket.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../server.ts';
import { type RawExchange, sendRaw } from '../testing/raw-client.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

function ask(model: string, more: object = {}, leavesAfter?: RegExp): Promise<RawExchange> {
  const body = { model, messages: [{ role: 'user', content: 'Hello' }], ...more };
  return sendRaw({ port: simulator.port, body, leavesAfter });
}

describe('before an answer', () => {
  test('F5 reset sends nothing and resets', async () => {
    const { text, ending } = await ask('sim-reset');
    expect({ text, ending }).toEqual({ text: '', ending: 'reset' });
  });

  test('F5 close sends nothing and ends in good order', async () => {
    const { text, ending } = await ask('sim-close');
    expect({ text, ending }).toEqual({ text: '', ending: 'end' });
  });

  // Once in many times the system reports bytes and a reset that come together as bytes and an end.
  test('F6 reset-in-headers breaks off inside a header', { retry: 2 }, async () => {
    const { text, ending } = await ask('sim-reset-in-headers');
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n.*content-le$/s);
    expect(ending).toBe('reset');
  });

  test('F7 garbage is no status line', async () => {
    const { text, ending } = await ask('sim-garbage');
    expect(text).not.toMatch(/^HTTP/);
    expect(text.length).toBeGreaterThan(10);
    expect(ending).toBe('end');
  });

  test('F9 stall says nothing and stays', async () => {
    const { text, ending } = await ask('sim-stall', {}, /^$/);
    expect({ text, ending }).toEqual({ text: '', ending: 'open' });
  });

  test('F9 stall-in-headers and stall-body say a little and stay', async () => {
    const inHeaders = await ask('sim-stall-in-headers', {}, /content-le$/);
    expect(inHeaders.text).toMatch(/content-le$/);
    expect(inHeaders.ending).toBe('open');
    const body = await ask('sim-stall-body', {}, /\r\n\r\n$/);
    expect(body.text).toMatch(/\r\n\r\n$/);
    expect(body.ending).toBe('open');
  });

  test('wait holds the headers back', async () => {
    const { durationMs, text } = await ask('sim-wait-120');
    expect(durationMs).toBeGreaterThan(115);
    expect(text).toContain('"chat.completion"');
  });
});

describe('statuses', () => {
  test.each([400, 401, 403, 404, 408, 413, 422, 429, 500, 502, 503, 504, 529])('F10-F16 status-%d', async (status) => {
    const { text } = await ask(`sim-status-${status}`, { stream: true });
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(text).toMatch(/content-type: application\/json/);
    expect(text).toMatch(/"error":\{"message":/);
    expect(text).not.toMatch(/retry-after/);
  });

  test('F10 Retry-After in seconds and as a date', async () => {
    expect((await ask('sim-status-429-retry-after-7')).text).toMatch(/\r\nretry-after: 7\r\n/);
    expect((await ask('sim-status-503+retry-after-30')).text).toMatch(/^HTTP\/1\.1 503 .*\r\nretry-after: 30\r\n/s);
    const dated = (await ask('sim-status-429-retry-after-date-60')).text;
    const date = /\r\nretry-after: (.+ GMT)\r\n/.exec(dated)?.[1] ?? '';
    expect(Date.parse(date) - Date.now()).toBeGreaterThan(50_000);
  });

  test('F8 redirect goes to a place that would tell', async () => {
    const { text } = await ask('sim-redirect');
    expect(text).toMatch(/^HTTP\/1\.1 302 .*\r\nlocation: \/redirected\r\n/s);
    expect((await ask('sim-redirect-307')).text).toMatch(/^HTTP\/1\.1 307 /);
  });
});

describe('headers', () => {
  test('hostile ones come on command', async () => {
    const { text } = await ask('sim-hostile-headers');
    expect(text).toMatch(/set-cookie: session=stolen/);
    expect(text).toMatch(/access-control-allow-origin: https:\/\/evil\.example/);
  });

  test('a giant one is as large as commanded', async () => {
    const { text } = await ask('sim-giant-header-32');
    expect(/x-padding: (p+)/.exec(text)?.[1]).toHaveLength(32 * 1024);
  });

  test('a body without length is chunked or ends with the connection', async () => {
    const chunked = await ask('sim-chunked');
    expect(chunked.text).toMatch(/transfer-encoding: chunked/i);
    expect(chunked.text).not.toMatch(/content-length/i);
    const closed = await ask('sim-close-delimited');
    expect(closed.text).not.toMatch(/transfer-encoding|content-length/i);
    expect(closed.text).toMatch(/\}$/);
    expect(closed.ending).toBe('end');
  });
});
