// Which words of a conversation are taken for the prompt, and which for instructions.

import { expect, test } from 'vitest';
import type { Conversation, Message } from './conversation.ts';
import { lastUserText, systemText } from './prompt-text.ts';

const text = (words: string) => ({ type: 'text' as const, text: words });
const image = { type: 'image' as const, source: { kind: 'url' as const, url: 'https://example.test/a.png' } };
const conversation = (...messages: Message[]): Conversation => ({ messages, tools: [], sampling: {} });

test('what the user said last, in all its parts', () => {
  const messages: Message[] = [
    { role: 'system', parts: [text('Be brief.')] },
    { role: 'user', parts: [text('first')] },
    { role: 'assistant', parts: [text('answer')] },
    { role: 'user', parts: [text('second'), image, text('third')] },
  ];
  expect(lastUserText(conversation(...messages))).toBe('second\nthird');
});

test('is not hidden by tool results or a picture without words', () => {
  const messages: Message[] = [
    { role: 'user', parts: [text('look this up')] },
    { role: 'assistant', parts: [{ type: 'tool-call', id: 'a', name: 'find', argumentsText: '{}' }] },
    { role: 'tool', parts: [{ type: 'tool-result', callId: 'a', content: [text('result')], isError: false }] },
    { role: 'user', parts: [image] },
  ];
  expect(lastUserText(conversation(...messages))).toBe('look this up');
});

test('is empty where nothing was said', () => {
  expect(lastUserText(conversation({ role: 'user', parts: [image] }))).toBe('');
  expect(lastUserText(conversation())).toBe('');
});

test('instructions count wherever they stand', () => {
  const messages: Message[] = [
    { role: 'system', parts: [text('one'), text('two')] },
    { role: 'user', parts: [text('hello')] },
    { role: 'system', parts: [text('three')] },
  ];
  expect(systemText(conversation(...messages))).toBe('one\ntwo\nthree');
  expect(systemText(conversation())).toBe('');
});
