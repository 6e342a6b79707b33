import { expect, test } from 'vitest';
import { roleLines, rolesIn, teamLines, teamsIn } from './role-lines.ts';

const teams = [
  { id: 'team-1', name: 'Data Science' },
  { id: 'team-2', name: 'Blue' },
];

test('what was read is written the same, spaces and signs in names of groups included', () => {
  const roles = 'groups gateway admins org_admin\nroles x member';
  expect(roleLines(rolesIn(roles))).toBe(roles);
  const lines = 'groups CN=All of us,OU=x = Data Science\ndepartment 7 = Blue';
  const rules = teamsIn(`\n${lines}  \n`, teams);
  expect(rules).toEqual([
    { claim: 'groups', value: 'CN=All of us,OU=x', teamId: 'team-1' },
    { claim: 'department', value: '7', teamId: 'team-2' },
  ]);
  expect(teamLines(rules, teams)).toBe(lines);
});

test('a line that is not complete is refused in words', () => {
  for (const line of ['nonsense', 'groups org_admin']) {
    expect(() => rolesIn(`groups a member\n${line}`)).toThrow(`"${line}" does not have the form: claim, value, role`);
  }
});

test('a team is known by its name in any case, and a line without one is refused in words', () => {
  expect(teamsIn('groups a = BLUE', teams)).toEqual([{ claim: 'groups', value: 'a', teamId: 'team-2' }]);
  expect(() => teamsIn('groups a = Green', teams)).toThrow('There is no team "Green"');
  for (const line of ['groups a', 'groups = Blue', '= Blue']) {
    expect(() => teamsIn(line, teams)).toThrow('does not have the form: claim, value = team');
  }
});
