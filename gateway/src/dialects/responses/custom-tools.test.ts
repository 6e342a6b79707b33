// A tool with plain text as its input becomes a function in every other format, and a tool of its own kind for the
// client again.

import { describe, expect, test } from 'vitest';
import { customArguments, customInput } from '../../canonical/custom-tools.ts';
import type { StreamPart } from '../../canonical/stream-part.ts';
import { zeroUsage } from '../../canonical/usage.ts';
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
  const renderer = responsesDialect.createRenderer(context);
  const parts: StreamPart[] = [
    { type: 'tool-input-start', index: 0, id: call.id, name: call.name },
    ...(customArguments(input).match(/[\s\S]{1,5}/g) ?? []).map((text) => ({
      type: 'tool-input-delta' as const,
      index: 0,
      text,
    })),
    { type: 'tool-input-end', index: 0 },
  ];
  const finish = { reason: 'tool_calls', native: null, stopSequence: null } as const;
  const text = parts.map((part) => renderer.render(part)).join('') + renderer.finale(finish, zeroUsage, 0);
  const events = [...text.matchAll(/^data: (\{.*)$/gm)].map((match) => JSON.parse(match[1] ?? ''));
  expect(events.map(({ type }) => type)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.custom_tool_call_input.delta',
    'response.custom_tool_call_input.done',
    'response.output_item.done',
    'response.completed',
  ]);
  expect(events[2].item).toMatchObject({ type: 'custom_tool_call', status: 'in_progress', input: '' });
  expect(events[4]).toMatchObject({ item_id: events[2].item.id, input });
  expect(events[5].item).toMatchObject(expected);
  expect(events[6].response.output).toEqual([events[5].item]);
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
