import { expect, test } from 'vitest';
import { ApiProblem } from '../api/problem.ts';
import { FieldMistake, problemAmong } from './field-problem.ts';

const among =
  (...names: string[]) =>
  (error: unknown) =>
    problemAmong(error, (name) => names.includes(name));

const said = (message: string): ApiProblem => new ApiProblem({ status: 400, code: 'x', message, requestId: null });

test.each([
  ['name: must be a line of text.', ['name'], 'name'],
  ['settings.defaultMemberBudget: must be an amount.', ['name', 'defaultMemberBudget'], 'defaultMemberBudget'],
  ['settings.transcripts.days: must be a whole number.', ['days'], 'days'],
  ['kinds.0: must be one of these.', ['kinds', 'target'], 'kinds'],
  ['limit_reset: must be a period.', ['limit_reset'], 'limit_reset'],
])('%s is about a field of %j', (message, names, name) => {
  const problem = among(...names)(said(message));
  expect(problem).toEqual({ name, text: expect.stringMatching(/^Must be /) });
});

test.each([
  ['other: must be a line of text.', ['name']],
  ['The name is taken.', ['name']],
  ['Not now: name the reason.', ['name', 'Not now']],
])('%s is about no field of %j', (message, names) => {
  expect(among(...names)(said(message))).toBeNull();
});

test('what a form cannot read itself is told in its own words, and other failures are about no field', () => {
  expect(among('teams')(new FieldMistake('teams', 'There is no such team.'))).toEqual({
    name: 'teams',
    text: 'There is no such team.',
  });
  expect(among('name')(new FieldMistake('teams', 'There is no such team.'))).toBeNull();
  expect(among('name')(new TypeError('name: not reached'))).toBeNull();
  expect(among('name')(null)).toBeNull();
});
