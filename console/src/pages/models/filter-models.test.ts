import { expect, test } from 'vitest';
import type { Model } from '../../api/models.ts';
import { filterModels, filterOf, type ModelFilter, NO_FILTER, searchOf } from './filter-models.ts';

const model = (id: string, prompt: string, rest: Partial<Model> = {}): Model =>
  ({
    id,
    name: id,
    description: null,
    owned_by: id.split('/')[0],
    created: 0,
    context_length: 128_000,
    endpoints: [] as string[],
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

test('what a model can do is a filter too', () => {
  const tooled = model('acme/tooled', '1', { supported_parameters: ['tools', 'reasoning'] });
  const ids = (ability: ModelFilter['ability']) =>
    filterModels([...MODELS, tooled], { ...NO_FILTER, ability }).map(({ id }) => id);
  expect(ids('tools')).toEqual(['acme/tooled']);
  expect(ids('vision')).toEqual(['beta/seeing']);
  expect(ids('structured')).toEqual([]);
});

test('a filter survives the way through an address, and nonsense in one is left out', () => {
  const chosen: ModelFilter = {
    ...{ text: 'a b', purpose: 'image', input: 'image', ability: 'tools', provider: 'acme' },
    ...{ priceMax: 0.5, contextMin: 32_000, order: 'price' },
  };
  expect(filterOf(searchOf(chosen))).toEqual(chosen);
  expect(filterOf(searchOf(NO_FILTER))).toEqual(NO_FILTER);
  const nonsense = { makes: 'x', can: 'fly', price: 'NaN', context: '-1', order: '__proto__' };
  expect(filterOf(nonsense)).toEqual(NO_FILTER);
});
