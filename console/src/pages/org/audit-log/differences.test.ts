import { expect, test } from 'vitest';
import { ACTION_GROUPS, actionText } from './actions.ts';
import { differences, valueText } from './differences.ts';

test('only what has changed is shown, in words', () => {
  const before = { name: 'Blue', monthlyBudget: 5, cbEnabled: null, maxUsd: 1 };
  const after = { name: 'Blue', monthlyBudget: null, cbEnabled: true, maxUsd: 2 };
  expect(differences(before, after)).toEqual([
    { field: 'monthly budget', before: '5', after: 'none' },
    { field: 'watching', before: 'none', after: 'yes' },
    { field: 'max USD', before: '1', after: '2' },
  ]);
});

test('what is made anew has nothing before, and its empty fields are left out', () => {
  expect(differences(null, { name: 'ci', allowedCidrs: [], teamId: null })).toEqual([
    { field: 'name', before: null, after: 'ci' },
  ]);
  expect(differences(null, { userId: 'user-1' })).toEqual([{ field: 'user', before: null, after: 'user-1' }]);
  expect(differences({ name: 'ci' }, null)).toEqual([{ field: 'name', before: 'ci', after: null }]);
});

test('lists and objects are read out', () => {
  expect(valueText(['a', 'b'])).toBe('a, b');
  expect(valueText([{ model: 'a/b', enabled: false }, { model: 'c/d' }])).toBe('model: a/b, enabled: no; model: c/d');
});

test('every action that has a text can be chosen, once', () => {
  const offered = ACTION_GROUPS.flatMap(([, actions]) => actions);
  expect(offered.length).toBe(new Set(offered).size);
  expect(offered).toContain('team.cb.tripped');
  expect(actionText('something.new')).toBe('something.new');
});
