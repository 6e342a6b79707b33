// Rules for roles as lines of text: claim, value and role. What is between the first and the last word is the value, because
// names of groups may hold spaces.

import type { SignOnBody } from '../../../../../gateway/src/contract/sign-on.ts';

type RoleRule = NonNullable<SignOnBody['roles']>[number];

export const roleLines = (rules: readonly Readonly<RoleRule>[]): string =>
  rules.map(({ claim, value, role }) => `${claim} ${value} ${role}`).join('\n');

export function rolesIn(text: string): RoleRule[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [claim = '', ...rest] = line.split(/\s+/);
      return { claim, value: rest.slice(0, -1).join(' '), role: (rest.at(-1) ?? '') as RoleRule['role'] };
    });
}
