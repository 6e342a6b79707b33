// The members with their role, team and what they have spent of their budget. A long list can be searched.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Member, removeMember } from '../../../api/orgs/members.ts';
import { sessionQuery } from '../../../api/session.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Moment } from '../../../ui/moment.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { BudgetMeter } from '../budget-meter.tsx';
import { useOrg } from '../current-org.ts';
import { EditButton } from '../edit-button.tsx';
import { Removal } from '../removal.tsx';
import { ROLE_NAMES } from '../role-names.ts';

const SEARCHED_FROM = 8;

const COLUMNS = [
  { label: 'Person' },
  { label: 'Role' },
  { label: 'Team' },
  { label: 'Spent this month' },
  { label: 'Since' },
  { label: 'Actions', isHidden: true },
];

type MemberTableProps = Readonly<{ members: readonly Member[]; onEdit: (member: Member) => void }>;

export function MemberTable({ members, onEdit }: MemberTableProps) {
  const [wanted, setWanted] = useState('');
  const text = wanted.trim().toLowerCase();
  const shown = members.filter(({ user, team }) =>
    `${user.name} ${user.email} ${team?.name ?? ''}`.toLowerCase().includes(text),
  );
  return (
    <Card isFlush>
      {members.length >= SEARCHED_FROM && (
        <div className="max-w-sm px-5 pt-4 pb-3">
          <TextField
            label="Search members"
            isLabelHidden
            type="search"
            placeholder="Name, address or team"
            value={wanted}
            onChange={(event) => setWanted(event.target.value)}
          />
        </div>
      )}
      <Table label="Members" columns={COLUMNS}>
        {shown.map((member) => (
          <MemberRow key={member.id} member={member} onEdit={() => onEdit(member)} />
        ))}
      </Table>
      {shown.length === 0 && <p className="px-5 py-8 text-center text-sm text-quiet">No member matches.</p>}
    </Card>
  );
}

function MemberRow({ member, onEdit }: Readonly<{ member: Member; onEdit: () => void }>) {
  const { id: orgId, role } = useOrg();
  const { data: session } = useQuery(sessionQuery);
  const { user, team } = member;
  const isSelf = session?.user.id === user.id;
  // A team's administrator manages its plain members, and no other administrators.
  const isManaged = role === 'org_admin' || member.role === 'member';
  return (
    <tr>
      <Cell>
        <p className="flex flex-wrap items-center gap-1.5 font-medium">
          {user.name} {isSelf && <Badge>you</Badge>}
        </p>
        <p className="min-w-36 text-xs wrap-anywhere text-quiet">{user.email}</p>
      </Cell>
      <Cell>
        <Badge tone={member.role === 'org_admin' ? 'accent' : 'neutral'}>{ROLE_NAMES[member.role]}</Badge>
      </Cell>
      <Cell className="max-w-52 break-words">{team?.name ?? <span className="text-quiet">none</span>}</Cell>
      <Cell className="xl:min-w-40">
        <BudgetMeter name={user.name} spent={member.monthSpend} budget={member.monthlyBudget} />
      </Cell>
      <Cell>
        <Moment at={member.joinedAt} isDateOnly />
      </Cell>
      <Cell>
        {isManaged && (
          <span className="flex justify-end gap-1">
            <EditButton label={`Edit ${user.name}`} onClick={onEdit} />
            <Removal
              label={`Remove ${user.name}`}
              verb="Remove"
              done={`${user.name} is no longer a member.`}
              run={() => removeMember(orgId, member.id)}
            >
              {isSelf ? 'You leave the organization. ' : ''}Every key that {isSelf ? 'you hold' : 'this person holds'}{' '}
              in the organization is refused from the next call on. Their own account stays, and what they have used
              stays in the reports.
            </Removal>
          </span>
        )}
      </Cell>
    </tr>
  );
}
