// Rules for roles and teams as lines of text: claim, value and the role or team. Everything between the first and the
// last word is the value, because names of groups may have spaces; so may names of teams, which stand after " = ".

import type { SignOnBody } from '../../../../../gateway/src/contract/sign-on.ts';
import type { Team } from '../../../api/orgs/teams.ts';
import { FieldMistake } from '../../../ui/field-problem.ts';

type RoleRule = NonNullable<SignOnBody['roles']>[number];
type TeamRule = NonNullable<SignOnBody['teams']>[number];
type NamedTeam = Pick<Team, 'id' | 'name'>;

const SEPARATOR = ' = ';

export const roleLines = (rules: readonly Readonly<RoleRule>[]): string =>
  rules.map(({ claim, value, role }) => `${claim} ${value} ${role}`).join('\n');

/** Throws, with a message for the form, where a line is not complete. */
export const rolesIn = (text: string): RoleRule[] =>
  linesOf(text).map((line) => {
    const [claim = '', ...rest] = line.split(/\s+/);
    if (rest.length < 2) throw new FieldMistake('roles', `"${line}" does not have the form: claim, value, role.`);
    return { claim, value: rest.slice(0, -1).join(' '), role: (rest.at(-1) ?? '') as RoleRule['role'] };
  });

/** A deleted team is shown by its id. */
export const teamLines = (rules: readonly Readonly<TeamRule>[], teams: readonly NamedTeam[]): string =>
  rules
    .map(({ claim, value, teamId }) => {
      const team = teams.find(({ id }) => id === teamId);
      return `${claim} ${value}${SEPARATOR}${team?.name ?? teamId}`;
    })
    .join('\n');

/** Throws, with a message for the form, where a line has no team or an unknown one. */
export const teamsIn = (text: string, teams: readonly NamedTeam[]): TeamRule[] =>
  linesOf(text).map((line) => {
    const end = line.lastIndexOf(SEPARATOR);
    const [claim = '', ...value] = line.slice(0, Math.max(0, end)).trim().split(/\s+/);
    const wanted = line.slice(end + SEPARATOR.length).trim();
    const team = teams.find(({ id, name }) => id === wanted || name.toLowerCase() === wanted.toLowerCase());
    if (end === -1 || value.length === 0)
      throw new FieldMistake('teams', `"${line}" does not have the form: claim, value = team.`);
    if (team === undefined) throw new FieldMistake('teams', `There is no team "${wanted}".`);
    return { claim, value: value.join(' '), teamId: team.id };
  });

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
