import { expect, test } from 'vitest';
import { bodyOf, NO_SETTINGS } from './call-body.ts';

test('what is left empty is not sent', () => {
  expect(bodyOf('text', 'a/b', { ...NO_SETTINGS, prompt: 'Hi' })).toEqual({
    model: 'a/b',
    messages: [{ role: 'user', content: 'Hi' }],
  });
});

test('a temperature of zero is a temperature', () => {
  const settings = { ...NO_SETTINGS, prompt: 'Hi', system: 'Be short.', temperature: '0', maxTokens: '5' };
  expect(bodyOf('text', 'a/b', settings)).toEqual({
    model: 'a/b',
    messages: [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'Hi' },
    ],
    temperature: 0,
    max_tokens: 5,
  });
});

test('pictures and speech have their own words for the prompt', () => {
  const settings = { ...NO_SETTINGS, prompt: 'A lighthouse', size: '1024x1024', voice: 'nova' };
  expect(bodyOf('image', 'a/b', settings)).toEqual({ model: 'a/b', prompt: 'A lighthouse', size: '1024x1024' });
  expect(bodyOf('audio', 'a/b', settings)).toEqual({ model: 'a/b', input: 'A lighthouse', voice: 'nova' });
});
