// Which texts of a body count as the prompt and which as instructions, in every dialect.

import { describe, expect, test } from 'vitest';
import { readPromptText } from './prompt-text.ts';

const image = { type: 'image_url', image_url: { url: 'https://example.test/a.png' } };

describe('what the user said last', () => {
  test.each([
    ['a chat of plain texts', { messages: [said('first'), { role: 'assistant', content: 'answer' }, said('last')] }],
    [
      'parts, pictures left out',
      { messages: [said([{ type: 'text', text: 'la' }, image, { type: 'text', text: 'st' }])] },
    ],
    ['a Responses body that is one text', { input: 'last' }],
    ['items of a Responses body', { input: [said([{ type: 'input_text', text: 'last' }])] }],
    [
      'not hidden by results of tools',
      { messages: [said('last'), said([{ type: 'tool_result', tool_use_id: 'a', content: 'result' }])] },
    ],
    ['not hidden by a picture without words', { messages: [said('last'), said([image])] }],
    [
      'not by what tools answered',
      { input: [said('last'), { type: 'function_call_output', call_id: 'a', output: 'x' }] },
    ],
  ])('%s', (_title, body) => {
    expect(readPromptText(body).lastUserText.replace('\n', '')).toBe('last');
  });

  test.each([{}, { messages: [] }, { messages: [said([image])] }, { input: [null, 3] }])('nothing: %j', (body) => {
    expect(readPromptText(body).lastUserText).toBe('');
  });

  test('a long one is its beginning and its end, however it is divided', () => {
    const whole = readPromptText({ input: `begin ${'x'.repeat(1_000_000)} end` }).lastUserText;
    const parts = [text('begin'), ...Array.from({ length: 1_000 }, () => text('x'.repeat(10_000))), text('end')];
    const divided = readPromptText({ messages: [said(parts)] }).lastUserText;
    for (const shown of [whole, divided]) {
      expect(shown.startsWith('begin')).toBe(true);
      expect(shown.endsWith('end')).toBe(true);
      expect(shown.length).toBeLessThan(100_000);
    }
  });
});

test.each([
  [{ system: 'Be brief.', messages: [said('hi')] }, 'Be brief.'],
  [{ system: [text('Be'), text('brief.')], messages: [said('hi')] }, 'Be\nbrief.'],
  [{ instructions: 'Be brief.', input: 'hi' }, 'Be brief.'],
  [{ messages: [{ role: 'developer', content: 'Be brief.' }, said('hi')] }, 'Be brief.'],
  [{ messages: [said('hi')] }, ''],
])('instructions: %j', (body, expected) => {
  expect(readPromptText(body).systemText).toBe(expected);
});

test('names of tools, in either form', () => {
  const tools = [
    { type: 'function', function: { name: 'send_mail' } },
    { name: 'read_file' },
    { type: 'web_search' },
    1,
  ];
  expect(readPromptText({ messages: [], tools }).toolNames).toEqual(['send_mail', 'read_file']);
});

function said(content: unknown): unknown {
  return { role: 'user', content };
}

function text(words: string): unknown {
  return { type: 'text', text: words };
}
