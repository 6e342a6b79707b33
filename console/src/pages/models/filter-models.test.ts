import { expect, test } from 'vitest';
import type { Model } from '../../api/models.ts';
import { filterModels, type ModelFilter, NO_FILTER } from './filter-models.ts';

const model = (id: string, prompt: string, rest: Partial<Model> = {}): Model =>
  ({
    id,
    name: id,
    description: null,
    owned_by: id.split('/')[0],
    created: 0,
    context_length: 128_000,
    architecture: { modality: '', input_modalities: ['text'], output_modalities: ['text'] },
    pricing: { prompt, completion: '1' },
    ...rest,
  }) as Model;

const MODELS = [
  model('acme/large', '5', { context_length: 1_000_000 }),
  model('acme/small', '0.15'),
  model('beta/small:free', '0'),
  model('beta/seeing', '2', {
    architecture: { modality: '', input_modalities: ['text', 'image'], output_modalities: ['text'] },
  }),
  model('beta/pictures', '0', {
    context_length: null,
    architecture: { modality: '', input_modalities: ['text'], output_modalities: ['image'] },
  }),
];

const idsWith = (part: Partial<ModelFilter>): string[] =>
  filterModels(MODELS, { ...NO_FILTER, ...part }).map(({ id }) => id);

test('each filter narrows the list, and all of them together', () => {
  expect(idsWith({ text: 'SMALL beta' })).toEqual(['beta/small:free']);
  expect(idsWith({ purpose: 'image' })).toEqual(['beta/pictures']);
  expect(idsWith({ input: 'image' })).toEqual(['beta/seeing']);
  expect(idsWith({ contextMin: 200_000 })).toEqual(['acme/large']);
  expect(idsWith({ provider: 'beta', contextMin: 1 })).toEqual(['beta/seeing', 'beta/small:free']);
});

test('a bound on the price leaves out what has no such price, but not what is free', () => {
  expect(idsWith({ priceMax: 2 })).toEqual(['acme/small', 'beta/seeing', 'beta/small:free']);
  expect(idsWith({ priceMax: 0 })).toEqual(['beta/small:free']);
});

test('the order is by what was chosen', () => {
  expect(idsWith({ order: 'context' })[0]).toBe('acme/large');
  expect(idsWith({ order: 'price', purpose: 'text' }).at(-1)).toBe('acme/large');
});
