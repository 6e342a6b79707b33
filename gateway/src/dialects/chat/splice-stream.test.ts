// Guarantees: however the bytes are split, the client sees the same frames; only `id`, `model`, `provider` and `usage`
// differ from the upstream's; nothing that finishes the answer is sent before `finale`.

import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { zeroUsage } from '../../canonical/usage.ts';
import { learnTemplate } from './frame-template.ts';
import { parseChatRequest } from './parse-request.ts';
import { ChatStreamSplicer } from './splice-stream.ts';

const USAGE = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };

type Shape = { newline?: string; order?: 'openai' | 'sorted'; hasProvider?: boolean; usageEverywhere?: boolean };

function frameText(delta: object, finish: string | null, shape: Shape): string {
  const choice = { index: 0, delta, logprobs: null, finish_reason: finish };
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'up-model' };
  const provider = shape.hasProvider ? { provider: 'Secret Cloud' } : {};
  const usage = shape.usageEverywhere ? { usage: { ...USAGE, completion_tokens: 1 } } : { usage: null };
  const json =
    shape.order === 'sorted'
      ? {
          choices: [choice],
          created: head.created,
          id: head.id,
          model: head.model,
          object: head.object,
          ...provider,
          ...usage,
        }
      : { ...head, ...provider, system_fingerprint: 'fp', choices: [choice], ...usage };
  return `data: ${JSON.stringify(json)}`;
}

function streamBytes(texts: readonly string[], shape: Shape = {}): Buffer {
  const newline = shape.newline ?? '\n';
  const frames = [
    frameText({ role: 'assistant', content: '' }, null, shape),
    ...texts.map((content) => frameText({ content }, null, shape)),
    frameText({}, 'stop', shape),
    `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'up-model', choices: [], usage: USAGE })}`,
    'data: [DONE]',
  ];
  return Buffer.from(frames.map((frame) => frame + newline + newline).join(''), 'utf8');
}

function splicerFor(body: object = {}): ChatStreamSplicer {
  const request = parseChatRequest({ model: 'acme/model', messages: [{ role: 'user', content: 'hi' }], ...body });
  const context = { id: 'gen-1', modelId: 'acme/model', createdSeconds: 5, request };
  return new ChatStreamSplicer(context, (value) =>
    value === null ? null : { ...zeroUsage, promptTokens: 7, completionTokens: 3 },
  );
}

function splice(pieces: readonly Buffer[]): { output: string; splicer: ChatStreamSplicer } {
  const splicer = splicerFor();
  let latin1 = '';
  for (const piece of pieces) latin1 += splicer.push(piece);
  latin1 += splicer.end();
  latin1 += splicer.finale(zeroUsage, 0.5);
  return { output: Buffer.from(latin1, 'latin1').toString('utf8'), splicer };
}

type Chunk = {
  id: string;
  model: string;
  provider?: string;
  usage?: object | null;
  choices: { delta: { content?: string; role?: string }; finish_reason: string | null }[];
};

/** Another implementation of event streams checks the frames. */
function read(output: string): { chunks: Chunk[]; isDone: boolean } {
  const chunks: Chunk[] = [];
  let isDone = false;
  createParser({
    onEvent: (event) => {
      if (event.data === '[DONE]') isDone = true;
      else chunks.push(JSON.parse(event.data));
    },
  }).feed(output);
  return { chunks, isDone };
}

const text = (chunks: Chunk[]): string => chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');

describe('a spliced stream', () => {
  test('CHAT-33 CHAT-38 CHAT-39 STRM-02 carries our id and model in every chunk and no provider', () => {
    for (const order of ['openai', 'sorted'] as const) {
      const { output, splicer } = splice([
        streamBytes(['a', 'b', 'c "quoted" \\ back', 'é😀'], { order, hasProvider: true }),
      ]);
      const { chunks, isDone } = read(output);
      expect(isDone).toBe(true);
      expect(chunks.every((chunk) => chunk.id === 'gen-1' && chunk.model === 'acme/model')).toBe(true);
      expect(output).not.toContain('Secret Cloud');
      expect(text(chunks)).toBe('abc "quoted" \\ backé😀');
      expect(splicer.usage).toMatchObject({ promptTokens: USAGE.prompt_tokens });
    }
  });

  test('STRM-04 says nothing of usage before the last chunk, also where the upstream says that there is none yet', () => {
    for (const order of ['openai', 'sorted'] as const) {
      const { chunks } = read(splice([streamBytes(['a', 'b', 'c'], { order })]).output);
      expect(chunks.slice(0, -1).some((chunk) => 'usage' in chunk)).toBe(false);
      expect(chunks.at(-1)?.usage).toMatchObject({ cost: 0.5 });
    }
    // Ordinary chunks are still rewritten without parsing them.
    const frame = frameText({ content: 'a' }, null, {});
    const { usage: _usage, ...rewritten } = JSON.parse(frame.slice('data: '.length));
    expect(learnTemplate(frame, { ...rewritten, id: 'gen-1', model: 'acme/model' })).not.toBeNull();
  });

  test('STRM-02 CHAT-38 a fingerprint that is null is left out, and a time that is none is ours', () => {
    const frames = [
      frameText({ content: 'a' }, null, {}),
      frameText({ content: 'b' }, null, {}),
      frameText({ content: 'c' }, null, {}),
    ].map((frame) => `${frame.replace('"fp"', 'null').replace('1700000000', '1700000000.5')}\n\n`);
    const output = splicerFor().push(Buffer.from(frames.join('')));
    expect(output).not.toContain('fingerprint');
    expect(read(output).chunks.map((chunk) => 'created' in chunk && chunk.created)).toEqual([5, 5, 5]);
    const frame = frameText({ content: 'a' }, null, {}).replace('"fp"', 'null');
    const { usage: _usage, system_fingerprint: _print, ...rewritten } = JSON.parse(frame.slice('data: '.length));
    expect(learnTemplate(frame, { ...rewritten, id: 'gen-1', model: 'acme/model' })).not.toBeNull();
  });

  test('STRM-04 holds the finish back until the finale, which carries it together with the usage', () => {
    const splicer = splicerFor();
    const before = splicer.push(streamBytes(['hello']));
    expect(before).not.toContain('"stop"');
    expect(before).not.toContain('[DONE]');
    expect(splicer.isDone).toBe(true);
    const { chunks, isDone } = read(splicer.finale(zeroUsage, 0.25));
    expect(isDone).toBe(true);
    expect(chunks).toHaveLength(1);
    expect(chunks[0]).toMatchObject({ choices: [{ finish_reason: 'stop' }], usage: { cost: 0.25 } });
  });

  test('STRM-01 is the same for every split of the bytes, with LF, CRLF and CR', () => {
    for (const newline of ['\n', '\r\n', '\r']) {
      const bytes = streamBytes(['añ', '😀 "x"', 'z'], { newline, hasProvider: true });
      const whole = read(splice([bytes]).output);
      for (let offset = 1; offset < bytes.length; offset += 1) {
        expect(read(splice([bytes.subarray(0, offset), bytes.subarray(offset)]).output)).toEqual(whole);
      }
      const single = [...bytes].map((byte) => Buffer.from([byte]));
      expect(read(splice(single).output)).toEqual(whole);
    }
  });

  test('STRM-02 any content arrives unchanged, however it is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { minLength: 1, maxLength: 12 }),
        fc.array(fc.nat(4000), { maxLength: 10 }),
        fc.constantFrom<'openai' | 'sorted'>('openai', 'sorted'),
        fc.boolean(),
        (texts, cuts, order, usageEverywhere) => {
          const bytes = streamBytes(texts, { order, usageEverywhere });
          const points = [...new Set(cuts.map((cut) => cut % bytes.length))].sort((left, right) => left - right);
          const pieces: Buffer[] = [];
          let from = 0;
          for (const point of [...points, bytes.length]) {
            pieces.push(bytes.subarray(from, point));
            from = point;
          }
          const { chunks } = read(splice(pieces).output);
          // JSON replaces lone surrogates when it is written as UTF-8, so the expected text gets the same replacement.
          expect(text(chunks)).toBe(Buffer.from(texts.join(''), 'utf8').toString('utf8'));
          expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null || chunk.usage === undefined)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('STRM-02 adds the role that strict clients need when the upstream leaves it out', () => {
    const bytes = Buffer.from(`${frameText({ content: 'x' }, null, {})}\n\ndata: [DONE]\n\n`);
    const { chunks } = read(splice([bytes]).output);
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
  });

  test('TOOL-06 TOOL-08 a forced tool call that the upstream ends with stop finishes with tool_calls', () => {
    const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
    const splicer = splicerFor({ tools: [{ type: 'function', function: { name: 'f', parameters: {} } }] });
    splicer.push(Buffer.from(`${frameText({ role: 'assistant', content: null }, null, {})}\n\n`));
    splicer.push(Buffer.from(`${frameText({ tool_calls: [call] }, null, {})}\n\n${frameText({}, 'stop', {})}\n\n`));
    expect(read(splicer.finale(zeroUsage, 0)).chunks[0]).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] });
  });

  test('TOOL-08 the same where the upstream writes its JSON with spaces', () => {
    const splicer = splicerFor({ tools: [{ type: 'function', function: { name: 'f', parameters: {} } }] });
    const choices = '[{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f"}}]}}]';
    splicer.push(Buffer.from(`data: {"id": "x", "choices": ${choices}}\n\n${frameText({}, 'stop', {})}\n\n`));
    expect(read(splicer.finale(zeroUsage, 0)).chunks[0]).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] });
  });

  test('CHAT-08 TOOL-08 of several choices only those that call tools finish with tool_calls', () => {
    const splicer = splicerFor({ n: 2, tools: [{ type: 'function', function: { name: 'f', parameters: {} } }] });
    const frame = (index: number, delta: object, reason: string | null = null) =>
      Buffer.from(`data: ${JSON.stringify({ id: 'x', choices: [{ index, delta, finish_reason: reason }] })}\n\n`);
    const call = { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    splicer.push(frame(1, { content: 'It is ' }));
    splicer.push(frame(1, { content: 'high.' }));
    splicer.push(frame(0, { tool_calls: [call] }));
    splicer.push(frame(0, {}, 'stop'));
    splicer.push(frame(1, {}, 'stop'));
    expect(read(splicer.finale(zeroUsage, 0)).chunks).toMatchObject([
      { choices: [{ index: 0, finish_reason: 'tool_calls' }] },
      { choices: [{ index: 1, finish_reason: 'stop' }] },
    ]);
  });

  test('CHAT-17 hides reasoning when the caller excluded it', () => {
    const splicer = splicerFor({ reasoning: { exclude: true } });
    const output = splicer.push(Buffer.from(`${frameText({ reasoning: 'hm', content: 'ok' }, null, {})}\n\n`));
    expect(output).not.toContain('hm"');
    expect(output).toContain('ok');
  });

  test('a line without end is cut off at the limit instead of growing', () => {
    const splicer = splicerFor();
    const piece = Buffer.alloc(256 * 1024, 0x61);
    for (let count = 0; count < 5; count += 1) splicer.push(piece);
    expect(splicer.fault?.kind).toBe('oversize');
  });

  test('BILL-01 a search whose sources follow after many words is noticed, and words about sources are none', () => {
    const searchesOf = (last: object) => {
      const splicer = splicerFor();
      const deltas = [{ content: 'a' }, { content: 'b' }, { content: 'c' }, last];
      for (const delta of deltas) splicer.push(Buffer.from(`${frameText(delta, null, {})}\n\n`));
      splicer.push(Buffer.from(`${frameText({}, 'stop', { usageEverywhere: true })}\n\n`));
      return splicer.usage?.units?.webSearches;
    };
    const source = { type: 'url_citation', url_citation: { url: 'https://a.test' } };
    expect(searchesOf({ annotations: [source] })).toBe(1);
    expect(searchesOf({ content: 'url_citation' })).toBeUndefined();
    expect(searchesOf({ content: JSON.stringify({ annotations: [source] }) })).toBeUndefined();
  });

  test('an upstream that never says anything, or finishes without end, fills no memory', () => {
    const silent = splicerFor();
    const empty = Buffer.from(`${frameText({ content: '' }, null, {})}\n\n`.repeat(1_000));
    let shown = 0;
    for (let count = 0; count < 20; count += 1) shown += silent.push(empty).length;
    expect(shown).toBeGreaterThan(0);
    expect(silent.fault).toBeNull();
    const finishing = splicerFor();
    const finish = Buffer.from(`${frameText({}, 'stop', {})}\n\n`.repeat(1_000));
    for (let count = 0; count < 20; count += 1) finishing.push(finish);
    expect(finishing.fault?.kind).toBe('oversize');
  });

  test('a frame nested without end is a fault, not a crash', () => {
    const splicer = splicerFor();
    const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(splicer.push(Buffer.from(`data: {"choices":[{"delta":{"x":${nested}}}]}\n\n`))).toBe('');
    expect(splicer.fault?.kind).toBe('malformed');
  });

  test('bytes that are no JSON are a fault, comments and named events are not', () => {
    const splicer = splicerFor();
    expect(splicer.push(Buffer.from(': comment\n\nevent: ping\ndata: \n\n'))).toBe('');
    expect(splicer.fault).toBeNull();
    splicer.push(Buffer.from('data: {"broken\n\n'));
    expect(splicer.fault?.kind).toBe('malformed');
  });
});

describe('what recordings show', () => {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'up-model' };
  const data = (json: object): string => `data: ${JSON.stringify(json)}\n\n`;
  const chunk = (choice: object, others: object = {}): string =>
    data({ ...head, choices: [{ index: 0, finish_reason: null, ...choice }], ...others });
  /** Without the finale. */
  const text = (...frames: string[]) => {
    const splicer = splicerFor();
    const output = splicer.push(Buffer.from(frames.join(''))) + splicer.end();
    return { output, splicer };
  };

  test('ERR-10 a stream that ends without content, finish or usage has said nothing and failed', () => {
    for (const frames of [[], [chunk({ delta: { role: 'assistant', content: '' } })]]) {
      const { output, splicer } = text(...frames, 'data: [DONE]\n\n');
      expect(output).toBe('');
      expect(splicer.fault).toMatchObject({ kind: 'malformed' });
    }
  });

  test('ERR-10 a text that ends without a finish is broken off, unless it was counted', () => {
    const said = chunk({ delta: { content: 'Hi' } });
    expect(text(said, 'data: [DONE]\n\n').splicer.fault).toMatchObject({ kind: 'malformed' });
    const counted = text(said, data({ ...head, choices: [], usage: USAGE }), 'data: [DONE]\n\n').splicer;
    expect(counted.fault).toBeNull();
    expect(counted.isDone).toBe(true);
  });

  test('STRM-01 an end mark that only a line break parts from the last frame', () => {
    const last = chunk({ delta: {}, finish_reason: 'stop' }, { usage: USAGE });
    const { splicer } = text(chunk({ delta: { content: 'Hi' } }), `${last.trimEnd()}\ndata: [DONE]\n\n`);
    expect([splicer.isDone, splicer.finishReason, splicer.hasUsage]).toEqual([true, 'stop', true]);
  });

  test('STRM-07 a frame that finishes and has an error keeps its reason and usage, and not the words', () => {
    const error = { error: { code: 502, message: 'sk-secret' }, usage: USAGE };
    const cut = chunk({ delta: {}, finish_reason: 'length', error: { code: 500, message: 'sk-secret' } }, error);
    const { splicer } = text(chunk({ delta: { content: 'Hi' } }), cut, 'data: [DONE]\n\n');
    expect(splicer.fault).toBeNull();
    const finale = splicer.finale(zeroUsage, 0);
    expect(finale).toContain('"finish_reason":"length"');
    expect(finale).not.toContain('sk-secret');
    const broken = text(chunk({ delta: { content: 'Hi' } }, { error: { code: 502, message: 'sk-secret' } }));
    expect(broken.splicer.fault).toMatchObject({ kind: 'upstream-error', status: 502 });
    expect(broken.output).not.toContain('sk-secret');
  });

  test('CHAT-02 frames with empty choices that say something pass, before the text and in its place', () => {
    const filter = data({
      ...head,
      id: '',
      model: '',
      created: 0,
      choices: [],
      prompt_filter_results: [{ prompt_index: 0 }],
    });
    const { output } = text(filter, chunk({ delta: { content: 'Hi' } }), data({ ...head, choices: [] }));
    const { chunks } = read(output);
    expect(chunks).toHaveLength(2);
    expect(chunks[0]).toMatchObject({ id: 'gen-1', model: 'acme/model', choices: [], prompt_filter_results: [{}] });
    expect(chunks[0]).not.toMatchObject({ created: 0 });
  });

  test('CHAT-02 members of the usage that we do not count pass, and what the upstream says of money does not', () => {
    const usage = {
      ...USAGE,
      queue_time: 0.5,
      cost: 9,
      cost_details: { upstream: 9 },
      completion_tokens_details: { reasoning_tokens: 99, accepted_prediction_tokens: 2 },
    };
    const { splicer } = text(
      chunk({ delta: { content: 'Hi' } }),
      chunk({ delta: {}, finish_reason: 'stop' }, { usage }),
    );
    const [last] = read(splicer.finale({ ...zeroUsage, promptTokens: 7, completionTokens: 3 }, 0.25)).chunks;
    expect(last?.usage).toEqual({
      prompt_tokens: 7,
      completion_tokens: 3,
      total_tokens: 10,
      queue_time: 0.5,
      cost: 0.25,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, accepted_prediction_tokens: 2 },
    });
  });
});

test('text that comes in parts is counted like any other, thinking included', () => {
  const parts = (words: string) => [
    { type: 'thinking', thinking: [{ type: 'text', text: words }] },
    { type: 'text', text: words },
  ];
  const splicer = splicerFor();
  for (const words of ['abcd', 'efgh', 'ijkl']) {
    splicer.push(Buffer.from(`${frameText({ content: parts(words) }, null, {})}\n\n`));
  }
  expect(splicer.contentBytes).toBe(24);
});

test('the input of a tool that takes plain text counts as what was said', () => {
  const splicer = splicerFor({ tools: [{ type: 'custom', custom: { name: 'patch' } }] });
  const frame = (call: object) => Buffer.from(`${frameText({ tool_calls: [{ index: 0, ...call }] }, null, {})}\n\n`);
  splicer.push(frame({ id: 'c', type: 'custom', custom: { name: 'patch', input: '' } }));
  splicer.push(frame({ custom: { input: 'é'.repeat(100) } }));
  expect(splicer.contentBytes).toBe(205);
});
