import { expect, test } from 'vitest';
import { changeShare, priceChanges } from './price-changes.ts';

const documentOf = (pricing?: Record<string, string>) => ({
  models: { 'a/b': pricing === undefined ? {} : { pricing } },
});

test('changed, new and dropped prices are found, equal ones are not', () => {
  const before = documentOf({ prompt: '1', completion: '2', image: '0.04' });
  const after = documentOf({ prompt: '1.1', completion: '2', request: '0.01' });
  expect(priceChanges(before, after)).toEqual([
    { model: 'a/b', price: 'prompt', before: '1', after: '1.1' },
    { model: 'a/b', price: 'image', before: '0.04', after: null },
    { model: 'a/b', price: 'request', before: null, after: '0.01' },
  ]);
});

test('a document that is not whole yet has no prices', () => {
  expect(priceChanges(documentOf({ prompt: '1' }), { models: 3 })).toMatchObject([{ before: '1', after: null }]);
  expect(priceChanges(null, documentOf())).toEqual([]);
});

test('the share of a change is told where there is one', () => {
  const share = (before: string | null, after: string | null) => changeShare({ model: '', price: '', before, after });
  expect([share('2.5', '2.75'), share('2', '1'), share('3', '3.1')]).toEqual(['+10 %', '−50 %', '+3.3 %']);
  expect([share(null, '1'), share('0', '1'), share('1', 'three')]).toEqual([null, null, null]);
});
