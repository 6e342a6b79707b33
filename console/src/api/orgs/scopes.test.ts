import { expect, test } from 'vitest';
import { parseScope, type Scope, scopePath, scopeText } from './scopes.ts';

test('a scope survives the way through an address', () => {
  const scopes: Scope[] = [{ kind: 'org' }, { kind: 'team', id: 'team-1' }, { kind: 'member', id: 'mem-2' }];
  expect(scopes.map((scope) => parseScope(scopeText(scope)))).toEqual(scopes);
  expect(scopes.map(scopePath)).toEqual(['', '/teams/team-1', '/members/mem-2']);
});

test('what is no scope is the whole organization, and no id becomes a path of its own', () => {
  expect(['', 'team:', 'key:1', undefined].map(parseScope)).toEqual(Array(4).fill({ kind: 'org' }));
  expect(scopePath(parseScope('team:../..'))).toBe('/teams/..%2F..');
});
