// The month by team. Deleted teams, and calls without a team, have their rows, so that the sum is complete.

import { useQuery } from '@tanstack/react-query';
import { type ByTeamAnswer, byTeamQuery, type Month } from '../../../api/orgs/reports.ts';
import { Card } from '../../../ui/card.tsx';
import { formatPercent, formatUsd } from '../../../ui/format.ts';
import { Meter } from '../../../ui/meter.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { useOrg } from '../current-org.ts';
import { NothingSpent } from './nothing-spent.tsx';
import { SpendBars } from './spend-bars.tsx';

type TeamRow = ByTeamAnswer['teams'][number];

const COLUMNS = [
  { label: 'Team' },
  { label: 'Spend', isNumber: true },
  { label: 'Share', isNumber: true },
  { label: 'Budget' },
  { label: 'Models' },
];

const nameOf = ({ teamId, name }: TeamRow): string => name ?? (teamId === null ? 'Without a team' : 'A deleted team');

export function TeamReport({ month }: Readonly<{ month: Month }>) {
  const { id: orgId } = useOrg();
  const query = useQuery(byTeamQuery(orgId, month));
  return (
    <QueryView query={query}>
      {({ teams }) =>
        teams.every(({ spend }) => spend === 0) ? (
          <NothingSpent />
        ) : (
          <Card isFlush>
            <SpendBars
              rows={teams.map((team) => ({
                id: team.teamId ?? '',
                label: nameOf(team),
                total: team.spend,
                parts: team.models.map(({ model, spend }) => ({ id: model, value: spend })),
              }))}
            />
            <Table label="Spend by team" columns={COLUMNS}>
              {teams.map((team) => (
                <TeamCells key={team.teamId ?? ''} team={team} />
              ))}
            </Table>
          </Card>
        )
      }
    </QueryView>
  );
}

function TeamCells({ team }: Readonly<{ team: TeamRow }>) {
  const { spend, sharePct, monthlyBudget, budgetUtilizationPct, models } = team;
  return (
    <tr>
      <Cell className="font-medium">{nameOf(team)}</Cell>
      <Cell isNumber>{formatUsd(spend)}</Cell>
      <Cell isNumber>{formatPercent(sharePct / 100)}</Cell>
      <Cell className="min-w-44">
        {monthlyBudget === null ? (
          <span className="text-quiet">none</span>
        ) : (
          <Meter
            label={`Spent of the budget of ${nameOf(team)}`}
            used={spend}
            limit={monthlyBudget}
            text={`${budgetUtilizationPct === null ? 'all' : formatPercent(budgetUtilizationPct / 100)} of ${formatUsd(monthlyBudget)}`}
          />
        )}
      </Cell>
      <Cell className="min-w-52">
        {models.length === 0 ? (
          <span className="text-quiet">none</span>
        ) : (
          <details>
            <summary className="text-sm">{models.length === 1 ? '1 model' : `${models.length} models`}</summary>
            <ul className="mt-1 grid gap-0.5 text-xs">
              {models.map(({ model, spend: ofModel }) => (
                <li key={model} className="flex justify-between gap-4">
                  <span className="break-all">{model}</span>
                  <span className="tabular-nums">{formatUsd(ofModel)}</span>
                </li>
              ))}
            </ul>
          </details>
        )}
      </Cell>
    </tr>
  );
}
