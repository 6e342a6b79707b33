// The month by member. Former members have a row as well, so that the sum is complete.

import { useQuery } from '@tanstack/react-query';
import { type ByMemberAnswer, byMemberQuery, type Month } from '../../../api/orgs/reports.ts';
import { isStudent, studentName } from '../../../api/students.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { formatCount, formatUsd } from '../../../ui/format.ts';
import { QueryView } from '../../../ui/query-view.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { useOrg } from '../current-org.ts';
import { NothingSpent } from './nothing-spent.tsx';
import { SpendBars } from './spend-bars.tsx';

type MemberRow = ByMemberAnswer['members'][number];

const COLUMNS = [
  { label: 'Person' },
  { label: 'Present team' },
  { label: 'Spend', isNumber: true },
  { label: 'Requests', isNumber: true },
  { label: 'Tokens', isNumber: true },
];

const nameOf = ({ name, email, userId }: MemberRow): string =>
  name ?? email ?? (isStudent(userId) ? studentName(userId) : userId);

export function MemberReport({ month }: Readonly<{ month: Month }>) {
  const { id: orgId } = useOrg();
  const query = useQuery(byMemberQuery(orgId, month));
  return (
    <QueryView query={query}>
      {({ members }) =>
        members.every(({ requests }) => requests === 0) ? (
          <NothingSpent />
        ) : (
          <Card isFlush>
            <SpendBars
              rows={members.map((member) => ({
                id: member.userId,
                label: nameOf(member),
                total: member.spend,
                parts: [{ id: 'Spend', value: member.spend }],
              }))}
            />
            <Table label="Spend by member" columns={COLUMNS}>
              {members.map((member) => (
                <tr key={member.userId}>
                  <Cell>
                    <p className="flex flex-wrap items-center gap-1.5 font-medium">
                      {nameOf(member)}{' '}
                      {member.memberId === null && <Badge>{isStudent(member.userId) ? 'student' : 'has left'}</Badge>}
                    </p>
                    <p className="text-xs text-quiet">{member.email}</p>
                  </Cell>
                  <Cell>{member.team?.name ?? <span className="text-quiet">none</span>}</Cell>
                  <Cell isNumber>{formatUsd(member.spend)}</Cell>
                  <Cell isNumber>{formatCount(member.requests)}</Cell>
                  <Cell isNumber>{formatCount(member.tokens)}</Cell>
                </tr>
              ))}
            </Table>
          </Card>
        )
      }
    </QueryView>
  );
}
