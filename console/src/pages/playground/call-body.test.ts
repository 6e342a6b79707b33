import { expect, test } from 'vitest';
import { bodyOf, NO_SETTINGS, type PlayPurpose, problemOf } from './call-body.ts';
import type { Settings } from './conversation.ts';

const body = (purpose: PlayPurpose, text: string, settings: Partial<Settings> = {}) =>
  bodyOf({
    purpose,
    model: 'a/b',
    settings: { ...NO_SETTINGS, ...settings },
    question: { text, pictures: [], results: [] },
    before: [],
  });

test('what is left empty is not sent', () => {
  expect(body('text', 'Hi')).toEqual({
    model: 'a/b',
    messages: [{ role: 'user', content: 'Hi' }],
  });
});

test('a temperature of zero is a temperature', () => {
  expect(body('text', 'Hi', { system: 'Be short.', temperature: '0', maxTokens: '5' })).toEqual({
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
  const settings = { size: '1024x1024', voice: 'nova' };
  expect(body('image', 'A lighthouse', settings)).toEqual({ model: 'a/b', prompt: 'A lighthouse', size: '1024x1024' });
  expect(body('audio', 'A lighthouse', settings)).toEqual({ model: 'a/b', input: 'A lighthouse', voice: 'nova' });
});

test('functions and a schema for the answer are sent as the chat dialect has them', () => {
  const functions = [{ name: 'weather', description: 'Of a city', parameters: '{"type":"object"}' }];
  expect(body('text', 'Rain?', { functions, answerSchema: '{"type":"array"}' })).toMatchObject({
    tools: [
      { type: 'function', function: { name: 'weather', description: 'Of a city', parameters: { type: 'object' } } },
    ],
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'array' } } },
  });
});

test('a schema that is no JSON object is named before it is sent', () => {
  expect(problemOf({ ...NO_SETTINGS, answerSchema: '[1]' })).not.toBeNull();
  expect(problemOf({ ...NO_SETTINGS, functions: [{ name: 'a b', description: '', parameters: '' }] })).not.toBeNull();
  expect(problemOf({ ...NO_SETTINGS, functions: [{ name: 'a_b', description: '', parameters: '' }] })).toBeNull();
});
