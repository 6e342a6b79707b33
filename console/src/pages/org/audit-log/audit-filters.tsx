// What narrows the log down.

import { useQuery } from '@tanstack/react-query';
import type { AuditFilter } from '../../../api/orgs/audit-log.ts';
import { membersQuery } from '../../../api/orgs/members.ts';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { useOrg } from '../current-org.ts';
import { ACTION_GROUPS, actionText } from './actions.ts';

type AuditFiltersProps = Readonly<{ filter: AuditFilter; onChange: (part: Partial<AuditFilter>) => void }>;

const given = (text: string): string | undefined => (text === '' ? undefined : text);

export function AuditFilters({ filter, onChange }: AuditFiltersProps) {
  const { id: orgId } = useOrg();
  const { data: members = [] } = useQuery(membersQuery(orgId));
  return (
    <search className="grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
      <SelectField
        label="What"
        value={filter.action ?? ''}
        onChange={(event) => onChange({ action: given(event.target.value) })}
      >
        <option value="">Everything</option>
        {ACTION_GROUPS.map(([group, actions]) => (
          <optgroup key={group} label={group}>
            {actions.map((action) => (
              <option key={action} value={action}>
                {actionText(action)}
              </option>
            ))}
          </optgroup>
        ))}
      </SelectField>
      <SelectField
        label="By"
        value={filter.actor ?? ''}
        onChange={(event) => onChange({ actor: given(event.target.value) })}
      >
        <option value="">Everyone</option>
        {members.map(({ id, user }) => (
          <option key={id} value={user.id}>
            {user.name} ({user.email})
          </option>
        ))}
      </SelectField>
      <TextField
        label="From"
        type="date"
        value={filter.from ?? ''}
        max={filter.to}
        onChange={(event) => onChange({ from: given(event.target.value) })}
      />
      <TextField
        label="To"
        type="date"
        value={filter.to ?? ''}
        min={filter.from}
        onChange={(event) => onChange({ to: given(event.target.value) })}
      />
    </search>
  );
}
