// The teams of an organization with their budgets. A team's administrator sees that team and sets its budget.

import { useQuery } from '@tanstack/react-query';
import { Plus, UsersRound } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { deleteTeam, type Team, teamsQuery } from '../../../api/orgs/teams.ts';
import type { ComingToOrg } from '../../../page-route.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { formatCount } from '../../../ui/format.ts';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { BudgetMeter } from '../budget-meter.tsx';
import { useOrg } from '../current-org.ts';
import { EditButton } from '../edit-button.tsx';
import { Removal } from '../removal.tsx';
import { TeamDialog } from './team-dialog.tsx';

export function ahead({ queryClient, params: { orgId } }: ComingToOrg): void {
  void queryClient.prefetchQuery(teamsQuery(orgId));
}

export function Teams() {
  const { id: orgId, role } = useOrg();
  const query = useQuery(teamsQuery(orgId));
  const [edited, setEdited] = useState<Team | 'new' | null>(null);
  const create = role === 'org_admin' && (
    <Button kind="primary" onClick={() => setEdited('new')}>
      <Plus size={16} aria-hidden="true" /> New team
    </Button>
  );
  return (
    <Page
      title="Teams"
      description="A budget holds from the next call on. It counts what the team’s members spend in a month (UTC)."
      actions={create}
    >
      <QueryView query={query}>
        {(teams) => (teams.length === 0 ? <NoTeams action={create} /> : <TeamTable teams={teams} onEdit={setEdited} />)}
      </QueryView>
      <TeamDialog team={edited} onClose={() => setEdited(null)} />
    </Page>
  );
}

function NoTeams({ action }: Readonly<{ action: ReactNode }>) {
  return (
    <Card>
      <EmptyState icon={<UsersRound size={22} />} title="No teams yet" action={action}>
        Teams share a budget, a breaker and a list of models. A person is in one team at a time.
      </EmptyState>
    </Card>
  );
}

const COLUMNS = [
  { label: 'Team' },
  { label: 'Spent this month' },
  { label: 'Members', isNumber: true },
  { label: 'Cost center' },
  { label: 'Actions', isHidden: true },
];

type TeamTableProps = Readonly<{ teams: readonly Team[]; onEdit: (team: Team) => void }>;

function TeamTable({ teams, onEdit }: TeamTableProps) {
  const { id: orgId, role } = useOrg();
  return (
    <Card isFlush>
      <Table label="Teams" columns={COLUMNS}>
        {teams.map((team) => (
          <tr key={team.id}>
            <Cell className="max-w-72">
              <p className="font-medium break-words">{team.name}</p>
              {team.description !== null && <p className="text-xs break-words text-quiet">{team.description}</p>}
            </Cell>
            <Cell className="min-w-44">
              <BudgetMeter name={team.name} spent={team.monthSpend} budget={team.monthlyBudget} />
            </Cell>
            <Cell isNumber>{formatCount(team.memberCount)}</Cell>
            <Cell>{team.costCenterCode ?? <span className="text-quiet">none</span>}</Cell>
            <Cell>
              <span className="flex justify-end gap-1">
                <EditButton label={`Edit ${team.name}`} onClick={() => onEdit(team)} />
                {role === 'org_admin' && (
                  <Removal
                    label={`Delete ${team.name}`}
                    verb="Delete the team"
                    done="The team is deleted."
                    run={() => deleteTeam(orgId, team.id)}
                  >
                    Its {team.memberCount === 1 ? 'member stays' : `${team.memberCount} members stay`} in the
                    organization without a team, and its administrators become members. Keys that belong to the team are
                    refused from the next call on. This cannot be undone.
                  </Removal>
                )}
              </span>
            </Cell>
          </tr>
        ))}
      </Table>
    </Card>
  );
}
