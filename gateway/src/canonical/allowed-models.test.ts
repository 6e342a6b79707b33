// The effective list must allow exactly what every list that is not empty allows.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileAllowedModels, effectiveList, isModelAllowed } from './allowed-models.ts';

const allows = (lists: readonly (readonly string[])[], modelId: string): boolean =>
  isModelAllowed(compileAllowedModels(lists), modelId);

describe('one list', () => {
  test('ALLOW-03 nothing but empty lists allow every model', () => {
    expect(effectiveList([])).toBeNull();
    expect(effectiveList([[], [], []])).toBeNull();
    expect(allows([[], []], 'a/b')).toBe(true);
  });

  test('ALLOW-05 an entry is one id, or every model of a provider, and nothing in between', () => {
    const list = [['a/b', 'c/*']];
    expect(['a/b', 'c/x', 'c/y:free', 'A/B', 'C/X'].map((id) => allows(list, id))).toEqual(Array(5).fill(true));
    expect(['a/b2', 'a/bb', 'a/c', 'ab/b', 'cc/x', 'c', 'a/b:extended'].map((id) => allows(list, id))).toEqual(
      Array(7).fill(false),
    );
  });
});

describe('several lists', () => {
  test('ALLOW-04 only what all of them allow is left, and wildcards are narrowed', () => {
    expect(effectiveList([['a/*', 'b/x'], [], ['a/1', 'a/2', 'b/*']])).toEqual(['b/x', 'a/1', 'a/2']);
    expect(effectiveList([['a/*'], ['a/*'], ['a/*']])).toEqual(['a/*']);
    expect(effectiveList([['a/1'], ['a/2']])).toEqual([]);
    expect(allows([['a/1'], ['a/2']], 'a/1')).toBe(false);
  });

  const entry = fc
    .tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2', '3', '*'))
    .map(([provider, name]) => `${provider}/${name}`);
  const lists = fc.array(fc.uniqueArray(entry, { maxLength: 5 }), { maxLength: 3 });
  const model = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2', '4')).map((id) => id.join('/'));

  test('ALLOW-03 ALLOW-04 the effective list says the same as asking each list', () => {
    fc.assert(
      fc.property(lists, model, (all, id) => {
        const expected = all.every((list) => list.length === 0 || allows([list], id));
        expect(allows(all, id)).toBe(expected);
        const effective = effectiveList(all);
        if (effective !== null && effective.length > 0) expect(allows([effective], id)).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });
});
