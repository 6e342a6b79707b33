// Who is in an organization, and with which keys they spend its money.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { orgKeysQuery, orgMembersQuery, orgsKey } from '../../../api/operator/orgs.ts';
import { Card } from '../../../ui/card.tsx';
import { formatUsd } from '../../../ui/format.ts';
import { Moment } from '../../../ui/moment.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { textLinkClass } from '../../../ui/text-link.ts';
import { ROLE_NAMES } from '../../org/role-names.ts';
import { KeyRows } from '../users/user-keys.tsx';

const COLUMNS = [
  { label: 'Person' },
  { label: 'Role' },
  { label: 'Team' },
  { label: 'Spent this month', isNumber: true },
  { label: 'Since' },
];

export function MembersCard({ orgId }: Readonly<{ orgId: string }>) {
  const query = useQuery(orgMembersQuery(orgId));
  return (
    <Card title="Members" isFlush>
      <QueryView query={query}>
        {(members) => (
          <Table label="Members" columns={COLUMNS}>
            {members.map(({ id, user, role, team, monthSpend, joinedAt }) => (
              <tr key={id}>
                <Cell className="max-w-72 break-words">
                  <Link to="/operator/users/$userId" params={{ userId: user.id }} className={textLinkClass}>
                    {user.name}
                  </Link>
                  <span className="block text-xs text-quiet">{user.email}</span>
                </Cell>
                <Cell>{ROLE_NAMES[role]}</Cell>
                <Cell>{team?.name ?? <span className="text-quiet">none</span>}</Cell>
                <Cell isNumber>{formatUsd(monthSpend)}</Cell>
                <Cell>
                  <Moment at={joinedAt} isDateOnly />
                </Cell>
              </tr>
            ))}
          </Table>
        )}
      </QueryView>
    </Card>
  );
}

export function OrgKeysCard({ orgId }: Readonly<{ orgId: string }>) {
  const query = useQuery(orgKeysQuery(orgId));
  return (
    <Card title="Keys" isFlush>
      <QueryView query={query}>
        {(keys) =>
          keys.length === 0 ? (
            <p className="px-5 pb-5 text-sm text-quiet">This organization has no keys.</p>
          ) : (
            <KeyRows keys={keys} touches={orgsKey} />
          )
        }
      </QueryView>
    </Card>
  );
}
