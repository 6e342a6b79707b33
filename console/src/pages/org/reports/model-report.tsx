// The month by model.

import { useQuery } from '@tanstack/react-query';
import { byModelQuery, type Month } from '../../../api/orgs/reports.ts';
import { Card } from '../../../ui/card.tsx';
import { formatCount, formatUsd } from '../../../ui/format.ts';
import { QueryView } from '../../../ui/query-view.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { useOrg } from '../current-org.ts';
import { NothingSpent } from './nothing-spent.tsx';
import { SpendBars } from './spend-bars.tsx';

const COLUMNS = [
  { label: 'Model' },
  { label: 'Spend', isNumber: true },
  { label: 'Requests', isNumber: true },
  { label: 'Tokens', isNumber: true },
  { label: 'Average per 1M tokens', isNumber: true },
];

export function ModelReport({ month }: Readonly<{ month: Month }>) {
  const { id: orgId } = useOrg();
  const query = useQuery(byModelQuery(orgId, month));
  return (
    <QueryView query={query}>
      {({ models }) =>
        models.length === 0 ? (
          <NothingSpent />
        ) : (
          <Card isFlush>
            <SpendBars
              rows={models.map(({ model, spend }) => ({
                id: model,
                label: model,
                total: spend,
                parts: [{ id: 'Spend', value: spend }],
              }))}
            />
            <Table label="Spend by model" columns={COLUMNS}>
              {models.map(({ model, spend, requests, tokens, avgPricePer1M }) => (
                <tr key={model}>
                  <Cell className="font-medium break-all">{model}</Cell>
                  <Cell isNumber>{formatUsd(spend)}</Cell>
                  <Cell isNumber>{formatCount(requests)}</Cell>
                  <Cell isNumber>{formatCount(tokens)}</Cell>
                  <Cell isNumber>
                    {avgPricePer1M === null ? (
                      <span className="text-quiet">not by tokens</span>
                    ) : (
                      formatUsd(avgPricePer1M)
                    )}
                  </Cell>
                </tr>
              ))}
            </Table>
          </Card>
        )
      }
    </QueryView>
  );
}
