// A person's place in an organization: role, team and budget. A team's administrator can only add plain members to the
// own team.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MemberChanges, OrgRole } from '../../../api/orgs/members.ts';
import { teamsQuery } from '../../../api/orgs/teams.ts';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { amountText, textOrNull } from '../../../ui/form-values.ts';
import { useOrg } from '../current-org.ts';
import { ROLE_HINTS, ROLE_NAMES } from '../role-names.ts';

const ROLES = Object.keys(ROLE_NAMES) as OrgRole[];

type PlaceFieldsProps = Readonly<{
  firstRole: OrgRole;
  teamId: string | null;
  budget: number | null;
  /** What an empty budget means. */
  budgetHint: string;
}>;

export function PlaceFields({ firstRole, teamId, budget, budgetHint }: PlaceFieldsProps) {
  const { id: orgId, role: own } = useOrg();
  const { data: teams = [] } = useQuery(teamsQuery(orgId));
  const [role, setRole] = useState(firstRole);
  return (
    <>
      {own === 'org_admin' && (
        <>
          <SelectField
            label="Role"
            name="role"
            value={role}
            hint={ROLE_HINTS[role]}
            onChange={(event) => setRole(event.target.value as OrgRole)}
          >
            {ROLES.map((option) => (
              <option key={option} value={option}>
                {ROLE_NAMES[option]}
              </option>
            ))}
          </SelectField>
          {/* The list of teams may come after the dialog, and the choice must not be lost over it. */}
          <SelectField
            key={teams.length}
            label="Team"
            name="teamId"
            defaultValue={teamId ?? ''}
            required={role === 'team_admin'}
          >
            <option value="">{role === 'team_admin' ? 'Choose the team' : 'None'}</option>
            {teams.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
        </>
      )}
      <TextField
        label="Monthly budget, USD"
        name="monthlyBudget"
        type="number"
        min={0}
        step="any"
        placeholder="No limit"
        hint={budgetHint}
        defaultValue={amountText(budget)}
      />
    </>
  );
}

/** Role and team as an organization's administrator chose them; empty where they may not be chosen. */
export function placeIn(form: FormData): Pick<MemberChanges, 'role' | 'teamId'> {
  const role = ROLES.find((known) => known === form.get('role'));
  return role === undefined ? {} : { role, teamId: textOrNull(form, 'teamId') };
}
