// A chat stream that its upstream ends with an error: clients do not take it for a whole one, and get nothing of the
// upstream's text about it.

import { expect, test } from 'vitest';
import { zeroUsage } from '../../canonical/usage.ts';
import { parseChatRequest } from './parse-request.ts';
import { ChatStreamSplicer } from './splice-stream.ts';

const USAGE = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
const FAILED = { finish_reason: 'error', error: { code: 500, message: 'sk-secret broke' } };

const frame = (json: object): string => `data: ${JSON.stringify(json)}\n\n`;
const choiceFrame = (delta: object, finish: object = {}, index = 0): string =>
  frame({ choices: [{ index, delta, ...finish }] });

const requestOf = (body: object) =>
  parseChatRequest({ model: 'acme/model', messages: [{ role: 'user', content: 'hi' }], ...body });

function splicerFor(body: object = {}): ChatStreamSplicer {
  const context = { id: 'gen-1', modelId: 'acme/model', createdSeconds: 5, request: requestOf(body) };
  return new ChatStreamSplicer(context, (value) => (value === null ? null : zeroUsage));
}

const SAID = choiceFrame({ role: 'assistant', content: 'x' });

const push = (splicer: ChatStreamSplicer, text: string): string => splicer.push(Buffer.from(text));

test('STRM-07 STRM-08 an error frame and a chunk finishing with error are faults, without the upstream text', () => {
  const first = splicerFor();
  push(first, frame({ error: { message: 'key sk-secret rejected', code: 429 } }));
  expect(first.fault).toMatchObject({ kind: 'upstream-error', status: 429 });
  const second = splicerFor();
  const output = push(second, SAID + choiceFrame({}, FAILED));
  expect(output).toContain('"finish_reason":"error"');
  expect(second.finishReason).toBe('error');
  expect(output).not.toContain('sk-secret');
  // What the answer has used may still come.
  expect(second.fault).toBeNull();
  expect(push(second, choiceFrame({ content: 'late' }))).toBe('');
  push(second, frame({ choices: [], usage: USAGE }));
  expect(second.fault).toMatchObject({ kind: 'upstream-error', status: 500, isEnd: true });
  expect(second.hasUsage).toBe(true);
  const silent = splicerFor();
  push(silent, `${SAID}${choiceFrame({}, FAILED)}data: [DONE]\n\n`);
  expect([silent.fault?.isEnd, silent.hasUsage]).toEqual([true, false]);
});

test('STRM-08 of several choices the first that ends with an error ends the stream, and nothing of it is charged', () => {
  const splicer = splicerFor({ n: 2 });
  push(splicer, choiceFrame({ content: 'zero' }) + choiceFrame({ content: 'one' }, {}, 1));
  const usage = frame({ choices: [], usage: USAGE });
  const last = push(splicer, usage + choiceFrame({}, FAILED) + choiceFrame({ content: 'more' }, {}, 1));
  expect(last).toContain('"finish_reason":"error"');
  expect(last).not.toContain('more');
  expect(splicer.fault).toMatchObject({ kind: 'upstream-error', status: 500 });
  expect(splicer.fault?.isEnd).toBeUndefined();
  expect(push(splicer, choiceFrame({ content: 'more' }, {}, 1))).toBe('');
});

test.each([
  [{}, undefined],
  [{ native_finish_reason: 'timeout' }, true],
])('STRM-08 a stream that ends with an error before it has said anything has failed, %j', (native, isProvoked) => {
  for (const body of [{}, { n: 2 }]) {
    const splicer = splicerFor(body);
    const said = choiceFrame({ role: 'assistant', content: '' });
    const choice = { index: 0, delta: { content: null }, ...FAILED, ...native };
    expect(push(splicer, said + frame({ choices: [choice], usage: USAGE }))).toBe('');
    expect(splicer.fault).toMatchObject({ kind: 'upstream-error', status: 500 });
    expect([splicer.fault?.isEnd, splicer.fault?.isProvoked]).toEqual([undefined, isProvoked]);
  }
});

test('STRM-08 nothing is passed on unread of the choices that come in one frame behind the one with the error', () => {
  const splicer = splicerFor({ n: 3, reasoning: { exclude: true } });
  push(splicer, choiceFrame({ content: 'zero' }) + choiceFrame({ content: 'one' }, {}, 1));
  const choices = [
    { index: 1, delta: { content: 'last' } },
    { index: 0, delta: {}, ...FAILED },
    { index: 2, delta: { reasoning: 'hidden' }, ...FAILED },
  ];
  const output = push(splicer, frame({ choices }));
  expect(output).toContain('last');
  expect(output).not.toContain('sk-secret');
  expect(output).not.toContain('hidden');
  expect(splicer.fault).toMatchObject({ kind: 'upstream-error', status: 500 });
});

test.each([['sk-secret broke'], [['sk-secret broke']]])(
  'STRM-08 what is wrong with a choice may be said as %j',
  (error) => {
    const splicer = splicerFor();
    const unended = push(
      splicer,
      choiceFrame({ content: 'some' }, { error }) + choiceFrame({ content: 'more' }, { error }),
    );
    const last = push(splicer, choiceFrame({}, { finish_reason: 'error', error }));
    expect(unended + last).not.toContain('sk-secret');
    expect(last).toContain('"message":"The upstream model failed while answering."');
  },
);

test('STRM-08 what was said and is hidden from the client was said all the same, and is charged', () => {
  const splicer = splicerFor({ reasoning: { exclude: true } });
  push(splicer, choiceFrame({ role: 'assistant', content: '', reasoning: 'Let me think.' }));
  const last = push(splicer, choiceFrame({}, FAILED));
  expect(last).toContain('"finish_reason":"error"');
  expect(last).not.toContain('think');
  push(splicer, frame({ choices: [], usage: USAGE }));
  expect(splicer.fault).toMatchObject({ kind: 'upstream-error', isEnd: true });
});

test('STRM-08 an empty list says nothing', () => {
  const splicer = splicerFor();
  const first = push(splicer, choiceFrame({ role: 'assistant', content: '', tool_calls: [], annotations: [] }));
  expect([first, push(splicer, choiceFrame({}, FAILED))]).toEqual(['', '']);
  expect(splicer.fault).toMatchObject({ kind: 'upstream-error', status: 500 });
});

test('STRM-08 an error beside the choices is that of the choice that ends with one', () => {
  const splicer = splicerFor();
  push(splicer, choiceFrame({ content: 'some' }));
  const { error, finish_reason } = FAILED;
  const last = push(
    splicer,
    frame({ error, choices: [{ index: 0, delta: { content: '' }, finish_reason }], usage: USAGE }),
  );
  expect(last).toContain('"finish_reason":"error","error":{"code":500,');
  expect(last).not.toContain('sk-secret');
  expect(splicer.fault).toMatchObject({ kind: 'upstream-error', status: 500, isEnd: true });
  expect(splicer.hasUsage).toBe(true);
});

test('STRM-08 BILL-04 an end with an error beside it, before anything was said, is a fault; with a picture it is not', () => {
  const error = { code: 503, message: 'sk-secret' };
  const end = (delta: object) => frame({ error, choices: [{ index: 0, delta, finish_reason: 'stop' }], usage: USAGE });
  const splicer = splicerFor();
  expect(push(splicer, choiceFrame({ role: 'assistant', content: '' }) + end({}))).toBe('');
  expect(splicer.fault).toMatchObject({ kind: 'upstream-error', status: 503 });
  expect(splicer.fault?.isEnd).toBeUndefined();
  const drawing = new ChatStreamSplicer(
    { id: 'gen-1', modelId: 'acme/model', createdSeconds: 5, request: requestOf({}) },
    () => zeroUsage,
    { frameBytesMax: 1_000_000, take: () => undefined },
  );
  push(drawing, choiceFrame({ images: [{}] }) + end({}));
  expect([drawing.fault, drawing.hasFinished]).toEqual([null, true]);
});

test('BILL-03 STRM-08 of several choices all that were asked for have to end before the answer has', () => {
  const counted = (index: number, finish_reason: string | null) =>
    frame({ choices: [{ index, delta: { content: 'x' }, finish_reason }], usage: USAGE });
  const one = counted(0, null) + counted(1, null) + counted(0, 'stop');
  const between = splicerFor({ n: 2 });
  push(between, one);
  expect([between.hasFinished, between.hasUsage]).toEqual([false, true]);
  push(between, counted(1, 'stop'));
  expect(between.hasFinished).toBe(true);
  // In one after the other, too.
  const first = splicerFor({ n: 2 });
  push(first, counted(0, 'stop') + frame({ error: { code: 500 } }));
  expect([first.hasFinished, first.fault?.kind]).toEqual([false, 'upstream-error']);
  // Where the upstream ends the stream itself, it has given what it gives.
  for (const end of ['', 'data: [DONE]\n\n']) {
    const fewer = splicerFor({ n: 2 });
    push(fewer, counted(0, 'stop') + end);
    fewer.end();
    expect(fewer.isDone).toBe(true);
    const cut = splicerFor({ n: 2 });
    push(cut, one + end);
    cut.end();
    expect(cut.isDone).toBe(end !== '');
  }
});

test('STRM-04 a choice whose end the upstream did not state has one all the same', () => {
  const splicer = splicerFor({ n: 2 });
  push(splicer, SAID + choiceFrame({ content: 'y' }, {}, 1) + choiceFrame({}, { finish_reason: 'length' }, 1));
  push(splicer, 'data: [DONE]\n\n');
  const ends = [...splicer.finale(zeroUsage, 0).matchAll(/"index":(\d).*?"finish_reason":"(\w+)"/g)];
  expect(ends.map(([, index, reason]) => [index, reason])).toEqual([
    ['1', 'length'],
    ['0', 'stop'],
  ]);
});

test.each([{}, '', false, { code: 0, message: '' }])('STRM-08 an error that says nothing is none: %j', (error) => {
  const splicer = splicerFor();
  const output = push(splicer, frame({ error, choices: [{ index: 0, delta: { content: 'x' }, error }] }));
  expect([splicer.fault, output.includes('"error"')]).toEqual([null, false]);
});

test('STRM-08 what is wrong with a choice is not passed on behind a delta whose surroundings are known', () => {
  const splicer = splicerFor();
  const head = '"id":"x","object":"chat.completion.chunk","created":5,"model":"m"';
  const known = (delta: string) => `data: {${head},"choices":[{"index":0,"delta":${delta},"finish_reason":null}]}\n\n`;
  push(splicer, SAID + known('{"content":"some"}'));
  const output = push(splicer, known('{"content":"more"},"error":{"message":"sk-secret"}'));
  expect(output).toContain('more');
  expect(output).not.toContain('sk-secret');
});
