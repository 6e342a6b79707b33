// A tool with plain text as its input becomes a function in every other format, and a tool of its own kind for the
// client again.

import { describe, expect, test } from 'vitest';
import { customArguments, customInput } from '../../canonical/custom-tools.ts';
import type { StreamDecoder, StreamPart } from '../../canonical/stream-part.ts';
import { zeroUsage } from '../../canonical/usage.ts';
import type { StreamPipe } from '../stream-pipe.ts';
import { responsesDialect } from './responses-dialect.ts';

const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' };
const patch = { type: 'custom', name: 'apply_patch', description: 'Edits files.', format: grammar };
const tools = [{ type: 'namespace', name: 'functions', tools: [patch] }];
const body = { model: 'acme/one', input: 'Hi', tools, tool_choice: { type: 'custom', name: 'apply_patch' } };
const request = responsesDialect.parse(body);
const context = { id: 'gen-1', modelId: 'acme/one', createdSeconds: 17, request };
const input = '*** Begin Patch\n+ "é"\\n\n*** End Patch';
const call = { type: 'tool-call' as const, id: 'call_1', name: 'functions__apply_patch' };

test('RESP-05 it is offered as a function with one text, its grammar in words, and can be chosen', () => {
  const conversation = request.toConversation();
  expect(conversation.toolChoice).toEqual({ name: 'functions__apply_patch' });
  expect(conversation.tools).toMatchObject([
    {
      name: 'functions__apply_patch',
      description: 'Edits files.\n\nThe input must follow this lark grammar:\nstart: /.+/',
      parameters: { required: ['input'], properties: { input: { type: 'string' } } },
    },
  ]);
  // A call with tools is not refused for a model without tools.
  expect(request.needs.tools).toBe(false);
});

test('a choice of one that is not offered chooses nothing', () => {
  const other = responsesDialect.parse({ ...body, tool_choice: { type: 'custom', name: 'other' } });
  expect(other.toConversation().toolChoice).toBeUndefined();
});

const expected = {
  type: 'custom_tool_call',
  status: 'completed',
  call_id: 'call_1',
  name: 'apply_patch',
  namespace: 'functions',
  input,
};

test('RESP-13 a call in a whole answer has the text itself', () => {
  const parts = [{ ...call, argumentsText: customArguments(input) }];
  const answer = {
    parts,
    finishReason: 'tool_calls',
    nativeFinishReason: null,
    stopSequence: null,
    usage: null,
  } as const;
  const rendered = JSON.parse(responsesDialect.renderAnswer(answer, context, { usage: zeroUsage, costUsd: 0 }));
  expect(rendered.output).toEqual([{ id: expect.stringMatching(/^ctc_/), ...expected }]);
});

test('RESP-15 a call in a stream has its own events', () => {
  const parts: StreamPart[] = [
    { type: 'tool-input-start', index: 0, id: call.id, name: call.name },
    ...(customArguments(input).match(/[\s\S]{1,5}/g) ?? []).map((text) => ({
      type: 'tool-input-delta' as const,
      index: 0,
      text,
    })),
    { type: 'tool-input-end', index: 0 },
    { type: 'finish', reason: 'tool_calls', native: null, stopSequence: null },
  ];
  const decoder: StreamDecoder = { keptBytes: 0, push: () => parts, end: () => [] };
  const source = { format: 'native', readUsage: () => null, createStreamDecoder: () => decoder } as const;
  const pipe = responsesDialect.openPipe?.(source, context) as StreamPipe;
  const latin = String(pipe.push(Buffer.alloc(0))) + pipe.finale(zeroUsage, 0);
  const text = Buffer.from(latin, 'latin1').toString();
  const events = [...text.matchAll(/^data: (\{.*)$/gm)].map((match) => JSON.parse(match[1] ?? ''));
  const pieces = events.filter(({ type }) => type === 'response.custom_tool_call_input.delta');
  const [, , added, ...others] = events.filter((event) => !pieces.includes(event));
  expect(events.map(({ type }) => type)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    ...pieces.map(({ type }) => type),
    'response.custom_tool_call_input.done',
    'response.output_item.done',
    'response.completed',
  ]);
  expect(pieces.length).toBeGreaterThan(3);
  expect(pieces.map(({ delta }) => delta).join('')).toBe(input);
  expect(added.item).toMatchObject({ type: 'custom_tool_call', status: 'in_progress', input: '' });
  expect(others[0]).toMatchObject({ item_id: added.item.id, input });
  expect(others[1].item).toMatchObject(expected);
  expect(others[2].response.output).toEqual([others[1].item]);
});

describe('what a model writes instead of the one argument', () => {
  test.each([
    ['{"input":"x"}', 'x'],
    ['{}', ''],
    ['', ''],
    ['{"other":1}', '{"other":1}'],
    ['*** Begin', '*** Begin'],
    ['{"input":5}', '{"input":5}'],
  ])('%s is %s', (written, read) => {
    expect(customInput(written)).toBe(read);
  });
});
