// Faults inside a stream: where it breaks off, what comes in between, how its frames and bytes are cut. Both protocols,
// because the same command must mean the same in each.

import { createParser } from 'eventsource-parser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../server.ts';
import { bodyOf, chunksOf, isComplete, type RawExchange, sendRaw } from '../testing/raw-client.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

type Options = Readonly<{ path?: string; byteLimit?: number; leavesAfter?: RegExp }>;

function ask(model: string, options: Options = {}): Promise<RawExchange> {
  const isMessages = options.path === '/v1/messages';
  const more = isMessages ? { max_tokens: 1000 } : { stream_options: { include_usage: true } };
  const body = { model, messages: [{ role: 'user', content: 'Hello' }], stream: true, ...more };
  return sendRaw({ port: simulator.port, body, ...options });
}

const messages = { path: '/v1/messages' };
const contentCount = (exchange: RawExchange): number =>
  exchange.text.match(/"delta":\{"content":"[^"]|"text_delta"/g)?.length ?? 0;
const hasFinish = (exchange: RawExchange): boolean => /"finish_reason":"|"stop_reason":"/.test(exchange.text);
const hasUsage = (exchange: RawExchange): boolean => /"usage":\{"prompt_tokens"|"message_delta"/.test(exchange.text);
const hasEnd = (exchange: RawExchange): boolean => /\[DONE\]|message_stop/.test(exchange.text);

test('a plain stream is complete, each frame in a chunk of its own', async () => {
  const plain = await ask('sim-chunks-5');
  expect(isComplete(plain)).toBe(true);
  expect(chunksOf(plain)).toHaveLength(1 + 5 + 1 + 1 + 1);
  for (const chunk of chunksOf(plain)) expect(chunk.toString()).toMatch(/^data: [^\n]+\n\n$/);
});

// The system decides how a client learns of a reset, and once in thousands of times it reports an end instead.
describe('breaking off', { retry: 2 }, () => {
  test.each([[{}], [messages]])('F28 reset-after-3 sends three pieces of content, then resets: %o', async (options) => {
    const broken = await ask('sim-chunks-9+reset-after-3', options);
    expect(contentCount(broken)).toBe(3);
    expect(broken.ending).toBe('reset');
    expect(isComplete(broken)).toBe(false);
  });

  test.each([[{}], [messages]])('F29 eof-before-usage ends well, but too early: %o', async (options) => {
    const early = await ask('sim-eof-before-usage', options);
    expect(isComplete(early)).toBe(true);
    expect(hasUsage(early)).toBe(false);
    expect(hasEnd(early)).toBe(false);
  });

  test('F29 the finish may have been said or not', async () => {
    expect(hasFinish(await ask('sim-eof-before-usage'))).toBe(true);
    expect(hasFinish(await ask('sim-eof-before-finish'))).toBe(false);
  });

  test.each([[{}], [messages]])('F30 usage is seen, the end is not: %o', async (options) => {
    const eof = await ask('sim-eof-after-usage', options);
    expect([isComplete(eof), hasUsage(eof), hasEnd(eof)]).toEqual([true, true, false]);
    const reset = await ask('sim-reset-after-usage', options);
    expect([reset.ending, hasUsage(reset), hasEnd(reset)]).toEqual(['reset', true, false]);
  });

  test('cut ends the connection without ending the body', async () => {
    const cut = await ask('sim-cut-after-2');
    expect([cut.ending, isComplete(cut), contentCount(cut)]).toEqual(['end', false, 2]);
  });

  test('F31 stall-after-2 goes silent', async () => {
    const stalled = await ask('sim-stall-after-2', { leavesAfter: /("delta":\{"content":"[^"].*){2}/s });
    expect([stalled.ending, contentCount(stalled)]).toEqual(['open', 2]);
  });

  test('F32 endless goes on and on', async () => {
    const endless = await ask('sim-endless', { byteLimit: 500_000 });
    expect(contentCount(endless)).toBeGreaterThan(1000);
    expect(hasFinish(endless)).toBe(false);
  });

  test('drip keeps every byte, slowly', async () => {
    const dripped = await ask('sim-chunks-1+size-4+drip-1');
    expect(isComplete(dripped)).toBe(true);
    expect(hasEnd(dripped)).toBe(true);
    expect(Math.max(...chunksOf(dripped).map((chunk) => chunk.length))).toBeLessThanOrEqual(16);
  });
});

describe('in between', () => {
  test('error-frame reports a failure and ends', async () => {
    const failed = await ask('sim-error-frame-2');
    expect(contentCount(failed)).toBe(2);
    expect(failed.text).toMatch(/data: \{"error":\{"message":"Simulated failure/);
    expect(hasEnd(failed)).toBe(false);
    expect((await ask('sim-error-frame-2', messages)).text).toMatch(/event: error\ndata: \{"type":"error"/);
  });

  test('finish-error is a finish reason like any other to the eye', async () => {
    expect((await ask('sim-finish-error')).text).toMatch(/"finish_reason":"error".*\[DONE\]/s);
    expect((await ask('sim-finish-error', messages)).text).toMatch(/event: error\n/);
    expect((await ask('sim-finish-filtered')).text).toMatch(/"finish_reason":"content_filter"/);
    expect((await ask('sim-finish-filtered', messages)).text).toMatch(/"stop_reason":"refusal"/);
  });

  test('F17 bad-frame is not JSON, and the stream goes on', async () => {
    const bad = await ask('sim-chunks-5+bad-frame-1');
    const frames = chunksOf(bad).map((chunk) => chunk.toString().slice('data: '.length));
    const broken = frames.filter((frame) => !frame.startsWith('[DONE]') && !isJson(frame));
    expect(broken).toHaveLength(1);
    expect(hasEnd(bad)).toBe(true);
  });
});

describe('F27 usage in streams', () => {
  const counts = (exchange: RawExchange): number[] =>
    [...exchange.text.matchAll(/"(?:completion|output)_tokens":(\d+)/g)].map((match) => Number(match[1]));

  test('twice', async () => {
    expect(counts(await ask('sim-tokens-9-5+usage-twice'))).toEqual([5, 5]);
    expect(counts(await ask('sim-tokens-9-5+usage-twice', messages))).toEqual([1, 5, 5]);
  });

  test('cumulative in every chunk', async () => {
    expect(counts(await ask('sim-tokens-9-5+chunks-5+usage-every-chunk'))).toEqual([1, 2, 3, 4, 5, 5]);
    expect(counts(await ask('sim-tokens-9-5+chunks-5+usage-every-chunk', messages))).toEqual([1, 1, 2, 3, 4, 5, 5]);
  });

  test('on the finish chunk, and not at all', async () => {
    const onFinish = await ask('sim-usage-on-finish');
    expect(onFinish.text).toMatch(/"finish_reason":"stop"\}\],"usage":\{"prompt_tokens"/);
    expect(onFinish.text).not.toMatch(/"choices":\[\]/);
    expect((await ask('sim-usage-none')).text).not.toMatch(/"usage"/);
    expect((await ask('sim-usage-none', messages)).text).not.toMatch(/"usage"/);
  });
});

describe('F33 frames and bytes', () => {
  const plainText = (body: string): string => {
    let text = '';
    const parser = createParser({
      onEvent: ({ data }) => {
        if (data !== '[DONE]') text += JSON.parse(data).choices[0]?.delta.content ?? '';
      },
    });
    parser.feed(body);
    return text;
  };

  test.each(['crlf', 'cr', 'bom', 'comments', 'multi-line', 'no-space', 'field-noise'])(
    '%s is legal: a parser reads the same text',
    async (style) => {
      const expected = plainText(bodyOf(await ask('sim-size-60')).toString());
      const body = bodyOf(await ask(`sim-size-60+${style}`)).toString();
      expect(expected).toHaveLength(60);
      expect(body.startsWith('data: {"id":"chatcmpl') && !body.includes('\r')).toBe(false);
      expect(plainText(body)).toBe(expected);
    },
  );

  test('split-utf8 cuts inside characters, and the bytes are whole in the end', async () => {
    const split = await ask('sim-split-utf8');
    const cuts = chunksOf(split).filter((chunk) => (chunk.at(-1) ?? 0) >= 0xc0);
    expect(cuts.length).toBeGreaterThan(10);
    expect(bodyOf(split).toString()).toContain('世');
    expect(bodyOf(split).toString()).not.toContain('\u{fffd}');
  });

  test('byte-by-byte', async () => {
    const bytes = await ask('sim-chunks-1+size-4+byte-by-byte');
    expect(chunksOf(bytes).every((chunk) => chunk.length === 1)).toBe(true);
    expect(plainText(bodyOf(bytes).toString())).toBe('The ');
  });

  test('giant-line is one line of that size', async () => {
    const giant = await ask('sim-giant-line-300');
    expect(
      Math.max(
        ...bodyOf(giant)
          .toString()
          .split('\n')
          .map((line) => line.length),
      ),
    ).toBeGreaterThan(300 * 1024);
    expect(hasEnd(giant)).toBe(true);
  });

  test('nul and invalid bytes', async () => {
    expect((await ask('sim-nul')).text).toContain('Before\\u0000after');
    const invalid = bodyOf(await ask('sim-invalid-utf8'));
    expect(invalid.includes(0xff)).toBe(true);
  });

  test('frames after the end', async () => {
    expect((await ask('sim-after-done')).text).toMatch(/data: \[DONE\]\n\n.*"delta":\{"content"/s);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
