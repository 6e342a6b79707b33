// The lines an operator reads after a start or a change: complete, in the document's words, and without a secret.

import { expect, test } from 'vitest';
import type { ConfigDocument } from '../../contract/config.ts';
import { describeDifference } from './difference.ts';

const provider = { protocol: 'openai', base_url: 'http://a', api_key: 'sk-1' } as const;

test('additions, changes and removals are one line each', () => {
  const before: ConfigDocument = {
    providers: { old: provider, kept: provider },
    models: { 'a/b': { pricing: { prompt: '0.15', completion: '1' }, output_modalities: ['text'] }, 'a/gone': {} },
    limits: { free_requests_per_minute: 20 },
  };
  const after: ConfigDocument = {
    providers: { kept: { ...provider, base_url: 'http://b', api_key: 'sk-2' } },
    models: {
      'a/b': { pricing: { prompt: '0.2', completion: '1' }, output_modalities: ['text', 'image'] },
      'a/new': {},
    },
    routes: { '*': { provider: 'kept' } },
    default_provider: 'kept',
    limits: { free_requests_per_minute: 30 },
  };
  const difference = describeDifference(before, after);
  expect(difference.removals).toEqual(['- provider old', '- model a/gone']);
  expect(difference.changes).toEqual([
    '- provider old',
    '~ provider kept: base_url http://a -> http://b',
    '~ provider kept: api_key changed',
    '- model a/gone',
    '~ model a/b: pricing.prompt 0.15 -> 0.2',
    '~ model a/b: output_modalities ["text"] -> ["text","image"]',
    '+ model a/new',
    '+ route *',
    '~ limits.free_requests_per_minute 20 -> 30',
    '~ default_provider (none) -> kept',
  ]);
});

test('equal documents have no difference, whatever the order of their keys', () => {
  const left: ConfigDocument = { providers: { a: provider }, models: { 'a/b': { name: 'x', description: 'y' } } };
  const right: ConfigDocument = {
    models: { 'a/b': { description: 'y', name: 'x' } },
    providers: { a: { ...provider } },
  };
  expect(describeDifference(left, right)).toEqual({ changes: [], removals: [] });
});

test('no key is ever shown, also not the one of moderation', () => {
  const before: ConfigDocument = { providers: { a: provider }, moderation: { api_key: 'sk-mod' } };
  const after: ConfigDocument = { providers: { a: { ...provider, api_key: 'sk-3' } }, moderation: {} };
  const { changes: lines } = describeDifference(before, after);
  expect(lines).toEqual(['~ provider a: api_key changed', '~ moderation.api_key removed']);
  expect(lines.join()).not.toContain('sk-');
});

test('a key that is emptied is taken away, as by a variable that is set to nothing', () => {
  const before: ConfigDocument = { providers: { a: provider, b: { ...provider, api_keys: { two: { key: 'sk-2' } } } } };
  const emptied = { ...provider, api_key: '' };
  const after: ConfigDocument = { providers: { a: emptied, b: { ...provider, api_keys: { two: { key: '' } } } } };
  const { removals } = describeDifference(before, after);
  expect(removals).toEqual(['~ provider a: api_key changed', '~ provider b: api_keys.two.key changed']);
  expect(describeDifference(after, before).removals).toEqual([]);
});

test('a very long difference is cut and says so', () => {
  const models = Object.fromEntries(Array.from({ length: 700 }, (_, index) => [`a/m${index}`, {}]));
  const { changes: lines } = describeDifference({}, { models });
  expect(lines).toHaveLength(501);
  expect(lines.at(-1)).toBe('and 200 more');
});

test('a setting that is gone and a shorter list take something away, another value does not', () => {
  const before: ConfigDocument = {
    models: { 'a/b': { name: 'x', description: 'y', input_modalities: ['text', 'image'] } },
    auto: { paid: { simple: { models: ['a/b', 'a/c'] } } },
  };
  const after: ConfigDocument = {
    models: { 'a/b': { name: 'z', input_modalities: ['text'] } },
    auto: { paid: { simple: { models: ['a/c', 'a/b'] } } },
  };
  expect(describeDifference(before, after).removals).toEqual([
    '~ model a/b: description y -> (none)',
    '~ model a/b: input_modalities ["text","image"] -> ["text"]',
  ]);
});
