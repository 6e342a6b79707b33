import { expect, test } from 'vitest';
import { messagesOf, type SaidTurn } from './conversation.ts';

const asked = (text: string, parts: Partial<SaidTurn['question']> = {}) => ({
  text,
  pictures: [],
  results: [],
  ...parts,
});
const CALL = { id: 'call-1', name: 'weather', arguments: '{"city":"Oslo"}' };

test('what was said before goes along, and a turn that failed does not', () => {
  const before: SaidTurn[] = [
    { question: asked('Hi'), answer: { text: 'Hello.', calls: [] } },
    { question: asked('Lost'), answer: { text: '', calls: [] } },
  ];
  expect(messagesOf('Be short.', before, asked('And now?'))).toEqual([
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content: 'And now?' },
  ]);
});

test('what a function gave follows the call that asked for it', () => {
  const before: SaidTurn[] = [{ question: asked('Rain?'), answer: { text: '', calls: [CALL] } }];
  const results = [{ callId: 'call-1', text: 'dry' }];
  expect(messagesOf('', before, asked('', { results }))).toEqual([
    { role: 'user', content: 'Rain?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call-1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
    },
    { role: 'tool', tool_call_id: 'call-1', content: 'dry' },
  ]);
});

test('pictures stand beside the text', () => {
  const [message] = messagesOf('', [], asked('What is this?', { pictures: ['data:image/png;base64,AA'] }));
  expect(message).toEqual({
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
    ],
  });
});
